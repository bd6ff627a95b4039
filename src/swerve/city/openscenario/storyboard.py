"""The storyboard: stories, acts, manoeuvres and events, which start and end by their triggers.

A frame evaluates every trigger once, from the top down, then moves on what runs. Who starts an action of the
same part (speed, or sideways) ends the one before; an event of priority `override` ends its neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from swerve.core.errors import BadInput

from .actors import Actor
from .conditions import Trigger
from .doings import Doing, FollowTrajectory, Once, global_doing, private_doing
from .longitudinal import Speed
from .nodes import Node
from .stage import NotPlaced, Stage

OVER = ("overwrite", "override")


@dataclass
class Element:
    """A part of the storyboard and how it stands: standby, running or complete."""

    kind: str
    name: str
    state: str = "standby"
    moments: dict[str, float] = field(default_factory=dict)  # [s] when it last started, ended, …
    children: list[Element] = field(default_factory=list)
    path: str = ""


@dataclass
class Action(Element):
    """What an event does to each of its actors."""

    node: Node | None = None
    running: list[tuple[Actor | None, Doing]] = field(default_factory=list)


@dataclass
class Event(Element):
    """Actions behind a trigger."""

    trigger: Trigger | None = None
    priority: str = "parallel"
    most: int = 1
    count: int = 0


@dataclass
class Group(Element):
    """A manoeuvre group with its actors."""

    actors: list[Actor] = field(default_factory=list)
    most: int = 1
    count: int = 1


@dataclass
class Act(Element):
    """Groups behind a trigger, until another."""

    start: Trigger | None = None
    stop: Trigger | None = None


class Storyboard:
    """Runs a `Storyboard` node on a stage. `events` lists what began and ended, in order."""

    def __init__(self, node: Node, stage: Stage):
        self.stage = stage
        self.events: list[dict[str, Any]] = []
        self.finished = False
        self._doings: dict[tuple[str, str], Doing] = {}  # what runs, by entity and part
        self._loose: list[tuple[Actor | None, Doing]] = []  # of the beginning, which still run
        self._elements: list[Element] = []
        self.stories = [self._story(one) for one in node.all("Story")]
        self.stop = Trigger(node.find("StopTrigger"), self)
        self._begin(node.find("Init/Actions"))

    # -- for conditions

    def state(self, kind: str, name: str) -> str | None:
        found = self._named(kind, name)
        return found.state if found is not None else None

    def moment(self, kind: str, name: str, transition: str) -> float:
        found = self._named(kind, name)
        return -np.inf if found is None else found.moments.get(transition, -np.inf)

    # -- a frame

    def advance(self, dt: float) -> None:
        """Look at every trigger, then move on what runs by dt [s]."""
        stage = self.stage
        stage.dt = dt
        if self.stop and self.stop.holds(stage):
            self.finished = True
            return
        due: list[tuple[Event, Element, Group]] = []
        for story in self.stories:
            if story.state == "standby":
                self._enter(story)
            for act in story.children:
                assert isinstance(act, Act)
                due += self._look(act)
        for one in due:  # after all have looked: what one changes the others see in the next frame
            self._start(*one)
        self._loose = [(a, d) for a, d in self._loose if self._current(a, d) and not d.step(stage, dt)]
        for event in self._running("event"):
            for action in event.children:
                assert isinstance(action, Action)
                if action.state == "running":
                    action.running = [
                        (a, d) for a, d in action.running if self._current(a, d) and not d.step(stage, dt)
                    ]
                    if not action.running:
                        self._leave(action)
        self._close()
        if not self.stop and all(story.state == "complete" for story in self.stories):
            self.finished = True

    def _look(self, act: Act) -> list[tuple[Event, Element, Group]]:
        """Start or stop an act; its events whose time has come."""
        stage, due = self.stage, []
        if act.state == "running" and act.stop and act.stop.holds(stage):
            self._end(act, "stop")
        if act.state == "standby" and (not act.start or act.start.holds(stage)):
            self._enter(act)
            for group in act.children:
                self._enter(group)
                for manoeuvre in group.children:
                    self._enter(manoeuvre)
        for group in act.children if act.state == "running" else ():
            assert isinstance(group, Group)
            for manoeuvre in group.children if group.state == "running" else ():
                for event in manoeuvre.children:
                    assert isinstance(event, Event) and event.trigger is not None
                    if event.state == "standby" and (not event.trigger or event.trigger.holds(stage)):
                        due.append((event, manoeuvre, group))
        return due

    def _start(self, event: Event, manoeuvre: Element, group: Group) -> None:
        others = [one for one in manoeuvre.children if one is not event and one.state == "running"]
        if event.priority == "skip" and others:
            event.moments["skip"] = self.stage.time
            return
        for one in others if event.priority in OVER else ():
            self._end(one, "end")
        event.count += 1
        self._enter(event)
        for action in event.children:
            assert isinstance(action, Action) and action.node is not None
            self._enter(action)
            action.running = self._made(action.node, group.actors)

    def _made(self, node: Node, actors: list[Actor]) -> list[tuple[Actor | None, Doing]]:
        """Begin what an action does to each actor."""
        made: list[tuple[Actor | None, Doing]] = []
        if node.tag == "GlobalAction":
            doing = global_doing(node, self.stage)
            made = [] if doing is None else [(None, doing)]
        elif node.tag == "PrivateAction":
            for actor in actors:
                one = private_doing(node, actor, self.stage)
                if one is not None:
                    made.append((actor, one))
        else:
            self.stage.miss(node, f"{node.tag} is not supported")
        for who, doing in made:
            nowhere = who is not None and who.place is None
            if who is not None and nowhere and doing.part and not isinstance(doing, FollowTrajectory | Speed):
                raise BadInput(node.where, who.name, "has no place yet: it needs a TeleportAction first")
            doing.start(self.stage)
            if who is not None and doing.part:
                self._doings[who.name, doing.part] = doing
        return made

    def _current(self, actor: Actor | None, doing: Doing) -> bool:
        """Whether nothing else has taken its part of the entity since."""
        if actor is None or not doing.part:
            return True
        return actor.place is not None and self._doings.get((actor.name, doing.part)) is doing

    def _close(self) -> None:
        """End what has nothing more to do, from the bottom up."""
        for event in self._running("event"):
            assert isinstance(event, Event)
            if all(action.state == "complete" for action in event.children):
                self._leave(event, "complete" if event.count >= event.most else "standby")
        for kind in ("maneuver", "maneuverGroup", "act", "story"):
            for one in self._running(kind):
                if one.children and all(child.state == "complete" for child in one.children):
                    if isinstance(one, Group) and one.count < one.most:
                        self._again(one)
                    else:
                        self._leave(one)

    def _again(self, group: Group) -> None:
        group.count += 1
        for manoeuvre in group.children:
            self._enter(manoeuvre)
            for event in manoeuvre.children:
                assert isinstance(event, Event)
                event.state, event.count = "standby", 0

    # -- states

    def _enter(self, one: Element) -> None:
        one.state = "running"
        one.moments["start"] = self.stage.time
        self._note(one, "start")

    def _leave(self, one: Element, state: str = "complete") -> None:
        one.state = state
        one.moments["end"] = self.stage.time
        self._note(one, "end")

    def _end(self, one: Element, how: str) -> None:
        """End it with all that is in it."""
        for child in one.children:
            if child.state == "running":
                self._end(child, how)
        if isinstance(one, Action):
            for actor, doing in one.running:
                if actor is not None and self._doings.get((actor.name, doing.part)) is doing:
                    del self._doings[actor.name, doing.part]
            one.running = []
        again = isinstance(one, Event) and one.count < one.most and how == "end"
        one.state = "standby" if again else "complete"
        one.moments[how] = self.stage.time
        self._note(one, how)

    def _note(self, one: Element, what: str) -> None:
        if one.kind in ("act", "event"):
            self.events.append({"time": self.stage.time, "kind": one.kind, "name": one.name, "what": what})

    def _running(self, kind: str) -> Iterator[Element]:
        return (one for one in self._elements if one.kind == kind and one.state == "running")

    def _named(self, kind: str, name: str) -> Element | None:
        kind = kind.lower()
        for one in self._elements:
            if one.kind.lower() == kind and (one.name == name or one.path.endswith("::" + name)):
                return one
        return None

    # -- building

    def _begin(self, actions: Node | None) -> None:
        """What holds from the start: places first, whatever the order of the file."""
        some: list[tuple[Node, list[Actor]]] = []
        for one in [] if actions is None else actions.children:
            if one.tag == "Private":
                actor = self.stage.actor(one.text("entityRef"), one)
                some += [(given, [actor]) for given in one.all("PrivateAction")]
            else:
                some.append((one, []))
        places = [pair for pair in some if pair[0].children and pair[0].children[0].tag == "TeleportAction"]
        for _ in range(len(places) + 1):
            waiting = []
            for node, actors in places:
                try:
                    self._made(node, actors)
                except NotPlaced:
                    waiting.append((node, actors))
            places = waiting
        for node, actors in places:
            raise BadInput(node.where, actors[0].name, "is placed relative to somebody who has no place")
        rest = [pair for pair in some if pair[0].children and pair[0].children[0].tag != "TeleportAction"]
        rest.sort(key=lambda pair: pair[0].find("RoutingAction/FollowTrajectoryAction") is None)
        for node, actors in rest:
            self._loose += self._made(node, actors)
        at_once = [d for _, d in self._loose if isinstance(d, (Once, Speed)) and d.step(self.stage, 0.0)]
        self._loose = [(a, d) for a, d in self._loose if d not in at_once]

    def _known(self, one: Any, above: str) -> Any:
        one.path = f"{above}::{one.name}"
        self._elements.append(one)
        return one

    def _story(self, node: Node) -> Element:
        story = self._known(Element("story", node.text("name", "")), "")
        for given in node.all("Act"):
            act = self._known(Act("act", given.text("name", "")), story.path)
            act.start = Trigger(given.find("StartTrigger"), self)
            act.stop = Trigger(given.find("StopTrigger"), self)
            act.children = [self._group(one, act.path) for one in given.all("ManeuverGroup")]
            story.children.append(act)
        return story

    def _group(self, node: Node, above: str) -> Group:
        group = self._known(Group("maneuverGroup", node.text("name", "")), above)
        actors = node.find("Actors")
        refs = [] if actors is None else actors.all("EntityRef")
        group.actors = [self.stage.actor(one.text("entityRef"), one) for one in refs]
        if actors is not None and actors.flag("selectTriggeringEntities"):
            self.stage.miss(actors, "selectTriggeringEntities is not supported")
        group.most = int(node.number("maximumExecutionCount", 1.0, least=1.0))
        for given in node.all("Maneuver"):
            manoeuvre = self._known(Element("maneuver", given.text("name", "")), group.path)
            for one in given.all("Event"):
                event = self._known(Event("event", one.text("name", "")), manoeuvre.path)
                event.trigger = Trigger(one.find("StartTrigger"), self)
                event.priority = one.text("priority", "parallel")
                event.most = int(one.number("maximumExecutionCount", 1.0, least=1.0))
                for action in one.all("Action"):
                    made = Action("action", action.text("name", ""), node=action.first())
                    event.children.append(self._known(made, event.path))
                manoeuvre.children.append(event)
            group.children.append(manoeuvre)
        return group
