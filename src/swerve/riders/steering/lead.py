"""Lines round obstacles, cell by cell: the kernel behind `gaps`."""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import kernel

ACROSS = 0.1  # [m] of a cell
STRAYED = 4  # cells that a rider may be off one that leads through
ASTRAY, TURNED = 25, 4.0  # cells from which it may come back to one, slowly; [m] that it needs for that
SMOOTHED = 3  # cells to either side over which a line is averaged
ALIKE = 0.02  # of a cell's time, up to which ways on are as quick


def smoothed(line: np.ndarray) -> np.ndarray:
    """Running means; before the first cell a line goes on straight."""
    before = line[:, :1] - (line[:, 1:2] - line[:, :1]) * np.arange(SMOOTHED, 0, -1)
    wide = np.hstack([before, line, np.repeat(line[:, -1:], SMOOTHED, axis=1)])
    total = np.cumsum(np.hstack([np.zeros((len(line), 1)), wide]), axis=1)
    across = 2 * SMOOTHED + 1
    mean: np.ndarray = (total[:, across:] - total[:, :-across]) / across
    return mean


@kernel
def lead(at, offset, row_of, closed, rooms, time, reach, low, edged, shares, line, share, rest, near):
    """Lead riders at `at` (n,) cells along, cell by cell: on the quickest cells, as near to `line` as these
    are."""
    count, columns, ahead = len(row_of), rooms.shape[1], line.shape[1]
    steepest = shares.shape[1] - 1
    for i in range(len(at)):
        begin = int(np.floor(at[i]))
        for h in range(ahead):
            k = (begin + h) % count if closed else begin + h
            if 0 <= k < count and row_of[k] >= 0:
                near[i] = True
                break
        if not near[i]:
            continue
        k = begin % count if closed else begin
        row = row_of[k] if 0 <= k < count else -1
        here, mine, astray = offset[i], int(np.round((offset[i] - low) / ACROSS)), False
        if row >= 0:  # who is a little off a quick cell is led from there
            found, least = mine, np.inf
            for j in range(mine - STRAYED, mine + STRAYED + 1):
                c = min(max(j, 0), columns - 1)
                if (c == j or not edged) and time[row, c] + 0.3 * abs(j - mine) < least:
                    found, least = j, time[row, c] + 0.3 * abs(j - mine)
            if least == np.inf:  # it leaves where nobody gets through, if there is room to
                far = reach[row, min(max(mine, 0), columns - 1)]
                for off in range(STRAYED + 1, ASTRAY + 1):
                    for j in (mine - off, mine + off):
                        if 0 <= j < columns and time[row, j] < least and (far == 0.0 or far > TURNED):
                            found, least = j, time[row, j]
                    if least < np.inf:
                        break
                astray = least < np.inf
            if least == np.inf:
                furthest = -1.0
                for j in range(mine - STRAYED, mine + STRAYED + 1):
                    c = min(max(j, 0), columns - 1)
                    if (c == j or not edged) and reach[row, c] - 0.1 * abs(j - mine) > furthest:
                        found, furthest = j, reach[row, c] - 0.1 * abs(j - mine)
                rest[i] = reach[row, min(max(found, 0), columns - 1)]
            if found != mine:
                here = found * ACROSS + low
        line[i, 0] = here
        for h in range(1, ahead):
            k = (begin + h) % count if closed else begin + h
            after = row_of[k] if 0 <= k < count else -1
            goal = min(max(line[i, h], here - steepest * ACROSS), here + steepest * ACROSS)
            if row < 0 and after < 0:
                goal = min(max(line[i, h], here - ACROSS), here + ACROSS)
                row, here, line[i, h] = after, goal, goal
                continue
            mid, want = int(np.round((here - low) / ACROSS)), int(np.round((goal - low) / ACROSS))
            room = 0
            if row >= 0 and (0 <= mid < columns or edged):
                room = min(rooms[row, min(max(mid, 0), columns - 1)], len(shares) - 1)
            picked, best, off, through = mid, np.inf, 1 << 30, False
            for j in range(mid - steepest, mid + steepest + 1):
                if shares[room, abs(j - mid)] == 0.0:
                    continue
                takes, far = 1.0 / shares[room, abs(j - mid)], 1e9
                if after >= 0:
                    c = min(max(j, 0), columns - 1)
                    outside = c != j and edged
                    takes += np.inf if outside else time[after, c]
                    far = 0.0 if outside else reach[after, c]
                if takes < np.inf and not through:
                    through, best, off = True, np.inf, 1 << 30
                if takes == np.inf:
                    if through or abs(j - mid) > 1:
                        continue
                    takes = -far
                if takes < best - ALIKE or (takes < best + ALIKE and abs(j - want) < off):
                    picked, best, off = j, min(takes, best), abs(j - want)
            aside = abs(picked - mid)
            share[i, h - 1] = shares[room, aside]
            here = (
                goal
                if picked == want and abs(goal - here) <= max(aside, 1) * ACROSS
                else picked * ACROSS + low
            )
            line[i, h] = here
            row = after
        share[i, ahead - 1] = share[i, ahead - 2]
        if astray:
            share[i, 0] = 0.0
