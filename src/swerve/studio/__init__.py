"""The studio: a web page to see worlds, drive in them, bend them and take them along.

`server` speaks with browsers, `session` keeps a worker process for each of them, `worker` runs the rooms in
`rooms/`. The page itself is built from `web/` into `page/`.
"""
