"""First bytes of what workers, the nursery and the server say to each other."""

FRAME, TAPE, FILE = b"F", b"T", b"D"  # to the page, as bytes
JSON = b"J"  # to the page, as text
BORN = b"P"  # a worker's first word, with its process number
MENU, READY = b"M", b"R"  # the nursery's: what there is to choose from, and that all is prepared
