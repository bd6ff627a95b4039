"""The director: sees when an event's time has come, and makes it happen."""

from __future__ import annotations

from typing import Any

import numpy as np

from swerve.core.errors import BadInput

from .driver_log import DriverLog
from .scenario import Action, Brake, Event, Scenario, Walk, When, Who
from .stage import Stage


class Director:
    """Events of a scenario, each of which happens once. What is `silent` happens and does nothing."""

    silent: str | None = None

    def __init__(self, scenario: Scenario, stage: Stage, log: DriverLog):
        self.scenario, self.stage, self.log = scenario, stage, log
        self.happened: dict[str, float] = {}  # when [s]
        self._waiting: list[str] = []  # characters for whom there was no room yet
        self._restore: dict[tuple[int, str], tuple[float, Any]] = {}  # of whom, what: when, value

    def open(self) -> None:
        """Bring in everyone who is there from the start, and see that what events speak of exists."""
        for name, character in self.scenario.characters.items():
            if name not in self.scenario.spawned_later:
                self.stage.enter(name, character, at_start=True)
        for event in self.scenario.events:
            for action in event.do if event.name != self.silent else ():
                for what in ("set", "brake", "siren"):
                    part = getattr(action, what)
                    siren = what == "siren" or getattr(part, "attribute", "") == "emergency"
                    if part is not None and not (siren and self._drives(part.character)):
                        self._require_own_mind(f"event {event.name}, {what}", part.character)
                if action.walk is not None:
                    self._require_person(event, action.walk)

    def check(self, now: float) -> None:
        """Let happen what is due at `now` [s]."""
        for event in self.scenario.events:
            if event.name not in self.happened and self._holds(event.when, now):
                self._run(event, now)
        self._waiting = [name for name in self._waiting if not self._enter(name, now)]
        for (character, attribute), (end, value) in list(self._restore.items()):
            if end <= now + 1e-9:
                self.stage.characters.set(character, attribute, value)
                del self._restore[character, attribute]

    def _holds(self, when: When, now: float) -> bool:
        if when.time is not None:
            return now >= when.time - 1e-9
        if when.after is not None:
            before = self.happened.get(when.after.event)
            return before is not None and now >= before + when.after.seconds - 1e-9
        if when.place is not None:
            if not self._is_there(when.place.character):
                return False
            spot = self.stage.spot(when.place.at, 0.0, "when, place")
            x, y = self.stage.place_of(when.place.character)
            return bool(np.hypot(spot.x - x, spot.y - y) <= when.place.within)
        assert when.distance is not None
        if not all(self._is_there(who) for who in when.distance.between):
            return False
        (ax, ay), (bx, by) = (self.stage.place_of(who) for who in when.distance.between)
        return bool(np.hypot(ax - bx, ay - by) <= when.distance.below)

    def _is_there(self, who: str | int) -> bool:
        return not isinstance(who, str) or (who in self.stage.ids and who not in self._waiting)

    def _run(self, event: Event, now: float) -> None:
        self.happened[event.name] = now
        self.log.note(
            now,
            "stimulus" if event.stimulus else "event",
            event.name,
            expect=event.expect,
            within=event.within,
        )
        for action in event.do if event.name != self.silent else ():
            try:
                self._do(action, now)
            except BadInput as error:
                raise BadInput(f"event {event.name}", None, str(error)) from error

    def _do(self, action: Action, now: float) -> None:
        characters, stage = self.stage.characters, self.stage
        if action.spawn is not None and not self._enter(action.spawn, now):
            self._waiting.append(action.spawn)
        if action.set is not None:
            who, attribute = stage.identity(action.set.character), action.set.attribute
            characters.set(who, attribute, action.set.value)
            self._restore.pop((who, attribute), None)  # said later than the brake
        if action.brake is not None:
            self._brake(action.brake, now)
        if action.siren is not None:
            characters.set(stage.identity(action.siren.character), "emergency", action.siren.on)
        if action.walk is not None:
            self._start_walk(action.walk)
        if action.mark is not None:
            self.log.note(now, "mark", action.mark)

    def _enter(self, name: str, now: float) -> bool:
        entered = self.stage.enter(name, self.scenario.characters[name], at_start=False)
        if entered:
            self.log.note(now, "spawn", name)
        return entered

    def _brake(self, brake: Brake, now: float) -> None:
        characters = self.stage.characters
        identity = int(self.stage.traffic.ids[self.stage.row(brake.character)])
        for attribute, value in (("max_speed", brake.to), ("comfortable_deceleration", brake.deceleration)):
            given = characters.value(identity, attribute)
            _, before = self._restore.pop((identity, attribute), (now, given))  # before the first of several
            if brake.seconds is not None:
                self._restore[identity, attribute] = (now + brake.seconds, before)
            characters.set(identity, attribute, value)

    def _start_walk(self, walk: Walk) -> None:
        person, script = self.stage.walkers[walk.character]
        if walk.to is not None:
            script.go(*walk.to, walk.speed)
            return
        assert walk.across is not None
        strip, station, _ = self.stage.roads.nearest(np.array([person.x]), np.array([person.y]))
        along = float(self.stage.roads.place(strip, station)[2][0])
        x, y = person.x - walk.across * np.sin(along), person.y + walk.across * np.cos(along)
        script.go(float(x), float(y), walk.speed)

    def _drives(self, who: Who) -> bool:
        """Whether that is the driver's car."""
        return self.stage.car is not None and who in ("driver", self.stage.car.character)

    def _require_own_mind(self, what: str, who: Who) -> None:
        if isinstance(who, str):
            moved = who == "driver" or self.scenario.characters[who].kind == "person"
        else:
            moved = self.stage.outsider(who) is not None
        if moved:
            raise BadInput(
                what, who, "has no effect: the driver's inputs, or its walks, are all that move it"
            )

    def _require_person(self, event: Event, walk: Walk) -> None:
        given = self.scenario.characters.get(walk.character)  # the driver is none of them
        if given is None or given.kind != "person":
            raise BadInput(f"event {event.name}, walk", walk.character, "is not a person of the scenario")
