"""OpenSCENARIO files: storyboards whose times and places are known beforehand, and files that are broken."""

import json
import math

import numpy as np
import pytest

from swerve.city.openscenario import play
from swerve.city.openscenario.parameters import value_of
from swerve.cli.main import run
from swerve.core.errors import BadInput

WIDTH = '<width sOffset="0" a="3.5" b="0" c="0" d="0"/>'
LANES = "".join(
    f"<{side}>" + "".join(f'<lane id="{k}" type="driving">{WIDTH}</lane>' for k in some) + f"</{side}>"
    for side, some in (("left", (2, 1)), ("right", (-1, -2)))
)
LANES += '<center><lane id="0" type="none"/></center>'


def road(name, x, heading, length, link=""):
    return (
        f'<road id="{name}" length="{length}" junction="-1"><link>{link}</link><planView>'
        f'<geometry s="0" x="{x}" y="0" hdg="{heading}" length="{length}"><line/></geometry></planView>'
        f'<lanes><laneSection s="0">{LANES}</laneSection></lanes></road>'
    )


# a straight of 600 m, then one of 400 m whose s runs against it
ROADS = (
    "<OpenDRIVE>"
    + road("1", 0, 0, 600, '<successor elementType="road" elementId="2" contactPoint="end"/>')
    + road("2", 1000, math.pi, 400, '<successor elementType="road" elementId="1" contactPoint="end"/>')
    + "</OpenDRIVE>"
)
CAR = (
    '<Vehicle name="car" vehicleCategory="car"><BoundingBox><Center x="1.4" y="0" z="0.75"/>'
    '<Dimensions length="4.5" width="1.8" height="1.5"/></BoundingBox></Vehicle>'
)


def at(road, lane, s, offset=0):
    return f'<Position><LanePosition roadId="{road}" laneId="{lane}" s="{s}" offset="{offset}"/></Position>'


def put(name, position, speed="0"):
    return (
        f'<Private entityRef="{name}"><PrivateAction><TeleportAction>{position}</TeleportAction>'
        f"</PrivateAction>{to_speed(speed)}</Private>"
    )


def to_speed(value, shape="step", dimension="time", amount=0):
    return (
        "<PrivateAction><LongitudinalAction><SpeedAction>"
        f'<SpeedActionDynamics dynamicsShape="{shape}" dynamicsDimension="{dimension}" value="{amount}"/>'
        f'<SpeedActionTarget><AbsoluteTargetSpeed value="{value}"/></SpeedActionTarget>'
        "</SpeedAction></LongitudinalAction></PrivateAction>"
    )


def to_lane(value, seconds):
    return (
        "<PrivateAction><LateralAction><LaneChangeAction>"
        f'<LaneChangeActionDynamics dynamicsShape="sinusoidal" dynamicsDimension="time" value="{seconds}"/>'
        f'<LaneChangeTarget><AbsoluteTargetLane value="{value}"/></LaneChangeTarget>'
        "</LaneChangeAction></LateralAction></PrivateAction>"
    )


def when(condition, delay=0, edge="none"):
    return (
        f'<ConditionGroup><Condition name="c" delay="{delay}" conditionEdge="{edge}">{condition}'
        "</Condition></ConditionGroup>"
    )


def time(value):
    return (
        f'<ByValueCondition><SimulationTimeCondition value="{value}" rule="greaterThan"/></ByValueCondition>'
    )


def state(kind, name, word="endTransition"):
    return (
        f'<ByValueCondition><StoryboardElementStateCondition storyboardElementType="{kind}" '
        f'storyboardElementRef="{name}" state="{word}"/></ByValueCondition>'
    )


def entity(name, condition):
    return (
        f'<ByEntityCondition><TriggeringEntities triggeringEntitiesRule="any"><EntityRef entityRef="{name}"/>'
        f"</TriggeringEntities><EntityCondition>{condition}</EntityCondition></ByEntityCondition>"
    )


def event(name, action, trigger, more=""):
    return (
        f'<Event name="{name}" priority="parallel" {more}><Action name="{name} action">{action}</Action>'
        f"<StartTrigger>{trigger}</StartTrigger></Event>"
    )


def scenario(names, init, events, stop, actor=None, parameters="", car=CAR):
    objects = "".join(f'<ScenarioObject name="{name}">{car}</ScenarioObject>' for name in names)
    return (
        '<?xml version="1.0"?>\n<OpenSCENARIO>\n<FileHeader revMajor="1" revMinor="1"/>\n'
        f"<ParameterDeclarations>{parameters}</ParameterDeclarations>\n"
        '<RoadNetwork><LogicFile filepath="roads.xodr"/></RoadNetwork>\n'
        f"<Entities>{objects}</Entities>\n<Storyboard><Init><Actions>\n{init}\n</Actions></Init>\n"
        '<Story name="story"><Act name="act"><ManeuverGroup name="group" maximumExecutionCount="1">'
        f'<Actors selectTriggeringEntities="false"><EntityRef entityRef="{actor or names[-1]}"/></Actors>'
        f'<Maneuver name="manoeuvre">\n{events}\n</Maneuver></ManeuverGroup>'
        f"<StartTrigger>{when(time(0))}</StartTrigger></Act></Story>\n"
        f"<StopTrigger>{stop}</StopTrigger></Storyboard></OpenSCENARIO>"
    )


@pytest.fixture
def write(tmp_path):
    (tmp_path / "roads.xodr").write_text(ROADS)

    def written(text, name="a.xosc"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return written


def track(outcome, number):
    whole = outcome.recording.whole()
    mine = whole.where(whole["id"] == number)
    return {name: np.asarray(mine[name]) for name in ("t", "x", "y", "vx", "vy", "brake")}


def moments(outcome, what="start"):
    return {e["name"]: e["time"] for e in outcome.events if e["kind"] == "event" and e["what"] == what}


def cut_in():
    headway = '<TimeHeadwayCondition entityRef="other" value="1" freespace="false" rule="greaterThan"/>'
    events = event("cut in", to_lane(-2, 3), when(entity("ego", headway), edge="rising"))
    events += event("brake", to_speed(0, "linear", "rate", 4), when(state("event", "cut in"), edge="rising"))
    init = put("ego", at(1, -2, 60), "$speed") + put("other", at(1, -1, 40), "${$speed * 1.5}")
    values = '<ParameterDeclaration name="speed" parameterType="double" value="20"/>'
    return scenario(["ego", "other"], init, events, when(state("act", "act"), delay=1), parameters=values)


def test_a_cut_in_happens_when_the_headway_says_so(write):
    outcome = play(write(cut_in()), dt=0.05)
    began, ended = moments(outcome), moments(outcome, "end")
    assert outcome.finished and outcome.unsupported == []
    assert began["cut in"] == pytest.approx(4.0, abs=0.11)  # 20 m behind, 20 m ahead, 10 m/s faster
    assert ended["cut in"] - began["cut in"] == pytest.approx(3.0, abs=0.06)
    assert ended["brake"] - began["brake"] == pytest.approx(30.0 / 4, abs=0.11)
    assert [e["name"] for e in outcome.events if e["what"] == "start"] == ["act", "cut in", "brake"]
    other = track(outcome, 1)
    before, after = other["t"] < began["cut in"], other["t"] > ended["cut in"] + 0.1
    assert other["y"][before] == pytest.approx(-1.75) and other["y"][after] == pytest.approx(-5.25)
    braked = other["x"][-1] - other["x"][np.searchsorted(other["t"], began["brake"])]
    assert braked == pytest.approx(30.0**2 / 8, rel=0.02) and other["brake"][after].any()
    assert outcome.seconds == pytest.approx(ended["brake"] + 1.0, abs=0.16)
    again = play(write(cut_in()), dt=0.05)
    assert again.events == outcome.events and (again.recording["x"] == outcome.recording["x"]).all()


def test_what_holds_from_the_beginning_is_no_rising_edge(write):
    """The other begins 30 m behind, further than the 10 m asked for, and is 10 m ahead at 4 s."""
    far = (
        '<RelativeDistanceCondition entityRef="other" relativeDistanceType="longitudinal" value="10" '
        'freespace="false" rule="greaterThan"/>'
    )
    events = event("rising", to_speed(12), when(entity("ego", far), edge="rising"))
    events += event("always", to_lane(-2, 1), when(entity("ego", far)))
    init = put("ego", at(1, -2, 60), 10) + put("other", at(1, -1, 30), 20)
    began = moments(play(write(scenario(["ego", "other"], init, events, when(time(6)))), dt=0.05))
    assert began["always"] < 0.11 and began["rising"] == pytest.approx(4.0, abs=0.11)


@pytest.mark.parametrize("shape, steep", [("linear", 1.0), ("cubic", 1.5)])
def test_nobody_changes_speed_faster_than_the_entity_can(write, shape, steep):
    able = '<Performance maxSpeed="20" maxAcceleration="4" maxDeceleration="8"/></Vehicle>'
    events = event("off", to_speed(25, shape, "time", 1), when(time(1)))
    events += event("stop", to_speed(0, shape, "rate", 30), when(state("event", "off"), edge="rising"))
    text = scenario(
        ["a"], put("a", at(1, -1, 10)), events, when(time(16)), car=CAR.replace("</Vehicle>", able)
    )
    outcome = play(write(text), dt=0.05)
    began, ended = moments(outcome), moments(outcome, "end")
    assert ended["off"] - began["off"] == pytest.approx(steep * 20 / 4, abs=0.11)
    assert ended["stop"] - began["stop"] == pytest.approx(steep * 20 / 8, abs=0.11)
    mine = track(outcome, 0)
    assert mine["vx"].max() == pytest.approx(20.0, abs=0.05)
    assert np.diff(mine["vx"]).max() < 4.1 * 0.05 and np.diff(mine["vx"]).min() > -8.1 * 0.05


def test_a_lane_goes_on_into_a_road_that_runs_against_it(write):
    events = event("lane", to_lane(1, 2), when(time(12)))
    outcome = play(write(scenario(["a"], put("a", at(1, -1, 500), 20), events, when(time(16)))), dt=0.05)
    mine = track(outcome, 0)
    assert np.diff(mine["x"]) == pytest.approx(1.0, abs=1e-3)  # no jump at the seam at 600 m
    assert mine["y"] == pytest.approx(-1.75, abs=1e-6)  # lane -1 is lane 1 over there: the same


def test_a_trajectory_is_where_its_times_say(write):
    corners = [(50, -1.75, 0), (80, 5, 3), (80, 40, 8)]
    line = "".join(
        f'<Vertex time="{t}"><Position><WorldPosition x="{x}" y="{y}"/></Position></Vertex>'
        for x, y, t in corners
    )
    follow = (
        "<PrivateAction><RoutingAction><FollowTrajectoryAction><TrajectoryRef>"
        '<Trajectory name="t" closed="false">'
        f"<Shape><Polyline>{line}</Polyline></Shape></Trajectory></TrajectoryRef><TimeReference>"
        '<Timing domainAbsoluteRelative="relative" scale="1" offset="0"/></TimeReference>'
        '<TrajectoryFollowingMode followingMode="position"/></FollowTrajectoryAction></RoutingAction>'
        "</PrivateAction>"
    )
    init = put("a", at(1, -1, 50))
    outcome = play(write(scenario(["a"], init, event("go", follow, when(time(1))), when(time(10)))), dt=0.05)
    mine = track(outcome, 0)
    began, ended = moments(outcome)["go"], moments(outcome, "end")["go"]
    assert ended - began == pytest.approx(8.0, abs=0.06)
    row = np.searchsorted(mine["t"], began + 3.0)
    middle = np.array([mine["x"][row], mine["y"][row]])
    assert np.hypot(*(middle - [80, 5])) < 1.4 + 0.5  # the reference point is at the corner
    speed = np.hypot(mine["vx"], mine["vy"])[(mine["t"] > began + 4) & (mine["t"] < ended - 1)]
    assert speed == pytest.approx(7.0, abs=0.01)


@pytest.mark.parametrize(("speed", "away", "took"), [(-4, -20, 5.0), (-4, 20, 0.0), (4, 20, 5.0)])
def test_who_reverses_along_a_trajectory_goes_tail_first(write, speed, away, took):
    """And one that leads forwards ends at once for who goes backwards, as esmini has it."""
    line = "".join(
        f'<Vertex time="0"><Position><WorldPosition x="{x}" y="-1.75"/></Position></Vertex>'
        for x in (100 + speed, 100 + speed + away)
    )
    follow = (
        "<PrivateAction><RoutingAction><FollowTrajectoryAction><TrajectoryRef>"
        f'<Trajectory name="t" closed="false"><Shape><Polyline>{line}</Polyline></Shape></Trajectory>'
        "</TrajectoryRef><TimeReference><None/></TimeReference></FollowTrajectoryAction></RoutingAction>"
        "</PrivateAction>"
    )
    init = put("a", at(1, -1, 100), str(speed))
    events = event("go", follow, when(time(1))) + event("stop", to_speed(0), when(state("event", "go")))
    outcome = play(write(scenario(["a"], init, events, when(time(8)))), dt=0.05)
    began, ended = moments(outcome)["go"], moments(outcome, "end")["go"]
    assert ended - began == pytest.approx(took, abs=0.11)
    whole = outcome.recording.whole()
    gone = np.diff(whole["x"]) / 0.05
    going = (whole["t"][1:] > began + 0.1) & (whole["t"][1:] < ended - 0.1)
    assert gone[going] == pytest.approx(speed, abs=1e-3) and np.abs(whole["qz"]).max() < 1e-6
    assert whole["x"][-1] == pytest.approx(101.4 + speed + (away if took else 0.0), abs=0.5)


def test_who_is_synchronised_arrives_at_the_same_time(write):
    sync = (
        '<PrivateAction><SynchronizeAction masterEntityRef="master" targetTolerance="1" '
        'targetToleranceMaster="1">'
        f"<TargetPositionMaster>{at(1, -1, 300)[10:-11]}</TargetPositionMaster>"
        f"<TargetPosition>{at(1, -2, 250)[10:-11]}</TargetPosition>"
        '<FinalSpeed><AbsoluteSpeed value="15"/></FinalSpeed></SynchronizeAction></PrivateAction>'
    )
    init = put("master", at(1, -1, 100), 20) + put("a", at(1, -2, 60), 10)
    outcome = play(
        write(scenario(["master", "a"], init, event("sync", sync, when(time(0))), when(time(12)))), dt=0.05
    )
    mine = track(outcome, 1)
    row = np.searchsorted(mine["t"], 10.0)  # when the master is there
    assert mine["x"][row] == pytest.approx(250 + 1.4, abs=1.5) and mine["vx"][row] == pytest.approx(
        15, abs=0.2
    )


def test_who_collides_is_told_of_and_can_be_waited_for(write):
    crash = '<CollisionCondition><EntityRef entityRef="b"/></CollisionCondition>'
    init = put("a", at(1, -1, 50), 10) + put("b", at(1, -1, 80))
    events = event("stop", to_speed(0), when(entity("a", crash)))
    outcome = play(write(scenario(["a", "b"], init, events, when(state("act", "act")), actor="a")), dt=0.05)
    (contact,) = outcome.contacts
    assert outcome.finished and set(contact["between"]) == {"a", "b"}
    assert contact["time"] == pytest.approx((30 - 4.5) / 10, abs=0.06)
    assert moments(outcome)["stop"] == pytest.approx(contact["time"], abs=0.06)


def test_what_nobody_does_is_named_with_its_line(write):
    text = scenario(["a"], put("a", at(1, -1, 50)), event("e", to_speed(5), when(time(1))), when(time(2)))
    text = text.replace("</Actions></Init>", '<Private entityRef="a"><PrivateAction>\n<VisibilityAction/>'
                        "</PrivateAction></Private></Actions></Init>")  # fmt: skip
    line = 1 + text[: text.index("<VisibilityAction")].count("\n")
    path = write(text)
    outcome = play(path, dt=0.1)
    assert outcome.unsupported == [f"{path}, line {line}: VisibilityAction is not supported"]
    assert outcome.finished and moments(outcome)["e"] == pytest.approx(1.1)


def test_catalogues_give_entities_and_their_values(write, tmp_path):
    (tmp_path / "cars").mkdir()
    entry = CAR.replace('length="4.5"', 'length="$long"').replace(
        "<BoundingBox>", '<ParameterDeclarations><ParameterDeclaration name="long" parameterType="double" '
        'value="9"/></ParameterDeclarations><BoundingBox>')  # fmt: skip
    (tmp_path / "cars" / "c.xosc").write_text(
        f'<OpenSCENARIO><Catalog name="cars">{entry}</Catalog></OpenSCENARIO>'
    )
    refer = (
        '<CatalogReference catalogName="cars" entryName="car"><ParameterAssignments>'
        '<ParameterAssignment parameterRef="long" value="12"/></ParameterAssignments></CatalogReference>'
    )
    text = scenario(
        ["a"], put("a", at(1, -1, 50)), event("e", to_speed(1), when(time(0))), when(time(1)), car=refer
    )
    text = text.replace("<RoadNetwork>", '<CatalogLocations><VehicleCatalog><Directory path="cars"/>'
                        "</VehicleCatalog></CatalogLocations><RoadNetwork>")  # fmt: skip
    for name in ("cars", "c"):  # or by the name of its file
        named = text.replace('catalogName="cars"', f'catalogName="{name}"')
        assert play(write(named), dt=0.1).recording["length"][0] == 12.0
    with pytest.raises(
        BadInput, match=r"line \d+, catalogName: is in none of the CatalogLocations, got 'cars'"
    ):
        play(write(text.replace('path="cars"', 'path="vans"')))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('entityRef="other"/></Actors>', 'entityRef="nobody"/></Actors>', "is not an entity"),
        ('roadId="1"', 'roadId="7"', "is not a road"),
        ('s="60"', 's="9000"', "must be between 0 and 600.00"),
        ('"$speed"', '"$sped"', "is a parameter that is not declared"),
        ('value="20"/>', 'value="fast"/>', "must be a number"),
        ('dynamicsShape="sinusoidal"', 'dynamicsShape="wild"', "must be one of step, linear"),
        ("<Storyboard>", "<Storyboard", "is not whole XML"),
        ("roads.xodr", "none.xodr", "none.xodr"),
    ],
)
def test_broken_files_are_refused_with_their_line(write, old, new, said):
    text = cut_in()
    assert old in text
    with pytest.raises(BadInput, match=said):
        play(write(text.replace(old, new, 1)))


def test_mutated_files_never_end_in_a_traceback(write):
    rng, text = np.random.default_rng(5), cut_in()
    numbers = ["-1", "1e9", "nan", "x", "", "0", "1e-9", "${1/0}", "$speed"]
    played = 0
    for _ in range(40):
        cuts = [k for k in range(len(text)) if text[k] == '"']
        k = int(rng.integers(len(cuts) // 2 - 3)) * 2 + 2
        mutated = text[: cuts[k] + 1] + str(rng.choice(numbers)) + text[cuts[k + 1] :]
        try:
            play(write(mutated), seconds=1.0, dt=0.1)
            played += 1
        except BadInput as error:
            assert "\n" not in str(error)
    assert 5 < played < 40


def test_who_comes_later_may_have_its_speed_before(write):
    init = f'<Private entityRef="a">{to_speed(5)}</Private>' + put("b", at(1, -1, 10))
    come = f"<PrivateAction><TeleportAction>{at(1, -1, 50)}</TeleportAction></PrivateAction>"
    events = event("come", come, when(time(1)))
    mine = track(play(write(scenario(["b", "a"], init, events, when(time(3)))), dt=0.05), 1)
    assert mine["t"].min() > 0.9 and np.hypot(mine["vx"], mine["vy"])[-10:] == pytest.approx(5.0)


def test_expressions_are_arithmetic_and_nothing_else():
    assert float(value_of("${pi / 2}", {}, "")) == pytest.approx(math.pi / 2)
    assert value_of("${max(2, $a) - 1}", {"a": "5"}, "") == "4.0"
    assert value_of("${$a + _ + $a}", {"a": "x"}, "") == "x + _ + x"  # words stay words
    assert value_of("${__import__(1)}", {}, "") == "__import__(1)"


def test_the_command_tells_events_in_order(write, tmp_path, capsys):
    words = [
        "city",
        "scenario",
        str(write(cut_in())),
        "--dt",
        "0.1",
        "--out",
        str(tmp_path / "out"),
        "--json",
    ]
    assert run(words) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["finished"] and result["unsupported"] == [] and result["recording"].endswith("a.parquet")
    assert [e["time"] for e in result["events"]] == sorted(e["time"] for e in result["events"])
    assert run([*words, "--seconds", "2"]) == 1 and not json.loads(capsys.readouterr().out)["finished"]
