"""The rows of Adam's tables 4.1 to 4.8, with what the original reports, and rows of our own beside them.

The original's goal is the point (0, 100000). On `sharp-cornered` and `final` our road turns away from it, so
there the same estimate, top speed along the shortest way, is taken along the track.
"""

from __future__ import annotations

from .adam_runs import Case

CASES: dict[str, dict[str, Case]] = {
    "adam-4.1": {
        "even 1": Case("long-straight", "five", 24, 45_000, "10 s crash", even=True),
        "even 2": Case("long-straight", "five", 49, 45_000, "17 s crash", even=True),
        "even 3": Case("long-straight", "five", 74, 45_000, "57 s crash", even=True),
        "even 4": Case("long-straight", "five", 99, 45_000, "110 s crash", even=True),
        "even 5": Case("long-straight", "five", 124, 45_000, "no crash in 120 s", even=True),
        "own 1": Case("long-straight", "five", 24, 45_000),
        "own 2": Case("long-straight", "five", 49, 45_000),
        "own 3": Case("long-straight", "five", 74, 45_000),
        "own 4": Case("long-straight", "five", 99, 45_000),
        "own 5": Case("long-straight", "five", 124, 45_000),
        "own 7": Case("long-straight", "five", 174, 45_000),
        "own 9": Case("long-straight", "five", 224, 45_000),
        "own 9 guided": Case("long-straight", "five", 224, 45_000, goal="finish", guided=True),
    },
    "adam-4.2": {
        "five 6": Case("cornered", "five", 149, 15_000, "33 s", cars=0),
        "five 12": Case("cornered", "five", 299, 45_000, "39 s", cars=0),
        "seven 2": Case("cornered", "seven", 49, 15_000, "35.5 s", cars=0),
        "seven 4": Case("cornered", "seven", 99, 15_000, "31.5 s", cars=0),
        "seven 6": Case("cornered", "seven", 149, 15_000, "35 s", cars=0),
        "five 6 guided": Case("cornered", "five", 149, 15_000, goal="finish", guided=True, cars=0),
        "seven 4 guided": Case("cornered", "seven", 99, 15_000, goal="finish", guided=True, cars=0),
        "seven 6 guided": Case("cornered", "seven", 149, 15_000, goal="finish", guided=True, cars=0),
    },
    "adam-4.3": {
        "five 6": Case("cornered", "five", 149, 45_000, "crash"),
        "five 8": Case("cornered", "five", 199, 45_000, "crash"),
        "five 12 few": Case("cornered", "five", 299, 15_000, "crash"),
        "five 12": Case("cornered", "five", 299, 45_000, "crash"),
        "seven 2": Case("cornered", "seven", 49, 15_000, "crash"),
        "seven 4": Case("cornered", "seven", 99, 15_000, "41 s"),
        "seven 6": Case("cornered", "seven", 149, 15_000, "38 s"),
        "seven 12 few": Case("cornered", "seven", 299, 15_000, "33.5 s"),
        "seven 12": Case("cornered", "seven", 299, 45_000, "35 s"),
        "seven 4 least": Case("cornered", "seven", 99, 500),
        "seven 12 least": Case("cornered", "seven", 299, 500),
        "five 12 guided": Case("cornered", "five", 299, 45_000, goal="finish", guided=True),
        "seven 12 guided": Case("cornered", "seven", 299, 15_000, goal="finish", guided=True),
    },
    "adam-4.4": {
        "large": Case("long-straight", "large", 299, 45_000, "still going at 120 s", even=True),
        "five": Case("long-straight", "five", 124, 45_000, even=True),
        "large guided": Case("long-straight", "large", 200, 4_000, goal="finish", guided=True),
    },
    "adam-4.5": {
        "large": Case("cornered", "large", 49, 45_000, "44 s", cars=0),
        "five": Case("cornered", "five", 149, 15_000, "33 s", cars=0),
        "seven": Case("cornered", "seven", 149, 15_000, "35 s", cars=0),
        "large far": Case("cornered", "large", 200, 15_000, cars=0),
        "large guided": Case("cornered", "large", 200, 4_000, goal="finish", guided=True, cars=0),
    },
    "adam-4.6": {
        "15k": Case("cornered", "large", 400, 15_000, "45.5 s"),
        "45k": Case("cornered", "large", 400, 45_000, "50 s"),
        "250k": Case("cornered", "large", 400, 250_000, "46 s"),
        "700": Case("cornered", "large", 700, 250_000, "45.5 s"),
        "guided": Case("cornered", "large", 200, 4_000, goal="finish", guided=True),
    },
    "adam-4.7": {
        "200": Case("sharp-cornered", "large", 200, 15_000, "skids", goal="finish"),
        "400": Case("sharp-cornered", "large", 400, 15_000, "skids", goal="finish"),
        "200 dry": Case("sharp-cornered", "large without skids", 200, 15_000, goal="finish"),
        "400 dry": Case("sharp-cornered", "large without skids", 400, 15_000, goal="finish"),
        "guided": Case("sharp-cornered", "large", 200, 15_000, goal="finish", guided=True),
        "guided dry": Case("sharp-cornered", "large without skids", 200, 15_000, goal="finish", guided=True),
    },
    "adam-4.8": {
        "short": Case("final", "large", 200, 5_000, "48.5 s", goal="finish"),
        "long": Case("final", "large", 400, 250_000, "51 s", goal="finish"),
        "guided": Case("final", "large", 200, 5_000, goal="finish", guided=True),
        "short, more": Case("final", "large", 200, 5_000, "no path", goal="finish", cars=112),
        "long, more": Case("final", "large", 400, 250_000, "finds a path", goal="finish", cars=112),
        "guided, more": Case("final", "large", 200, 5_000, goal="finish", guided=True, cars=112),
    },
}
