"""A small file of every format that is read, and who reads it."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
from newer_formats import make_newer, newer_readers
from PIL import Image

from swerve.core.plan import Plan, Status
from swerve.core.recording import Recording

DATA = Path(__file__).parents[2] / "src" / "swerve"
SCENES = Path(__file__).parents[2] / "docs" / "scenes"
TOWN = """name: corner
nodes:
  middle: {at: [0, 0], signal: true}
  west: {at: [-150, 10]}
  east: {at: [150, 0], height: 4}
  south: {at: [20, -120]}
streets:
  - {from: west, to: middle, via: [[-80, 20]], lanes: 2, back: 2, turns_to: [[right, straight], [left]]}
  - {from: middle, to: east, lanes: 2, back: 2, limit: 13.9}
  - {from: south, to: middle, sign_to: stop, limit: 8.3}
"""
SCENARIO = """name: the car ahead brakes
driver:
  at: {x: 20, y: 1.75}
  speed: 10
  inputs: {script: {speed: 12, reaction: 1.0}}
characters:
  lead: {kind: wheeled, at: {ahead_of: driver, gap: 15}, speed: 10}
events:
  - name: lead brakes
    when: {time: 5}
    do:
      - brake: {character: lead, deceleration: 6}
"""
ROADS = """<?xml version="1.0"?>
<OpenDRIVE><header revMajor="1" revMinor="4" name="r"/>
<road id="1" length="100" junction="-1"><link/><planView>
<geometry s="0" x="0" y="0" hdg="0.1" length="60"><line/></geometry>
<geometry s="60" x="59.7" y="5.99" hdg="0.1" length="40"><arc curvature="0.01"/></geometry></planView>
<elevationProfile><elevation s="0" a="5" b="0.01" c="0" d="0"/></elevationProfile>
<lanes><laneSection s="0"><left><lane id="1" type="driving">
<width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></left>
<center><lane id="0" type="none"/></center><right><lane id="-1" type="driving">
<width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></right></laneSection></lanes></road></OpenDRIVE>
"""
NET = """<net version="1.20">
<location netOffset="5,-1" projParameter="+proj=utm +zone=32 +ellps=WGS84 +units=m"/>
<edge id=":C_0" function="internal"><lane id=":C_0_0" index="0" speed="8" shape="-10,-1.6 10,-1.6"/></edge>
<edge id="in" from="W" to="C"><lane id="in_0" index="0" speed="13.9" shape="-90,-1.6,0 -10,-1.6,2"/></edge>
<edge id="out" from="C" to="E"><lane id="out_0" index="0" speed="13.9" shape="10,-1.6,2 90,-1.6,2"/></edge>
<tlLogic id="C" type="static" programID="0" offset="1"><phase duration="9" state="G"/>
<phase duration="3" state="y"/><phase duration="9" state="r"/></tlLogic>
<junction id="C" type="traffic_light" incLanes="in_0" intLanes=":C_0_0">
<request index="0" response="0"/></junction>
<connection from="in" to="out" fromLane="0" toLane="0" via=":C_0_0" tl="C" linkIndex="0" dir="s" state="O"/>
</net>"""
MAP_EXTRACT = """<osm version="0.6"><node id="1" lat="48.0" lon="11.0"/>
<node id="2" lat="48.001" lon="11.0"><tag k="highway" v="traffic_signals"/></node>
<node id="3" lat="48.002" lon="11.0001"/><node id="4" lat="48.001" lon="11.002"/>
<way id="7"><nd ref="1"/><nd ref="2"/><nd ref="3"/><tag k="highway" v="primary"/><tag k="lanes" v="3"/></way>
<way id="8"><nd ref="4"/><nd ref="2"/><tag k="highway" v="residential"/><tag k="maxspeed" v="20 mph"/></way>
<relation id="9"><member type="way" ref="8" role="from"/><member type="node" ref="2" role="via"/>
<member type="way" ref="7" role="to"/><tag k="type" v="restriction"/><tag k="restriction" v="no_left_turn"/>
</relation>
</osm>"""
STORY = """<?xml version="1.0"?>
<OpenSCENARIO><FileHeader revMajor="1" revMinor="1"/><RoadNetwork><LogicFile filepath="r.xodr"/></RoadNetwork>
<Entities><ScenarioObject name="ego"><Vehicle name="car" vehicleCategory="car"><BoundingBox>
<Center x="1.4" y="0" z="0.75"/><Dimensions width="1.8" length="4.5" height="1.5"/></BoundingBox>
<Performance maxSpeed="60" maxAcceleration="5" maxDeceleration="9"/></Vehicle></ScenarioObject></Entities>
<Storyboard><Init><Actions><Private entityRef="ego"><PrivateAction><TeleportAction><Position>
<LanePosition roadId="1" laneId="-1" s="10"/></Position>
</TeleportAction></PrivateAction></Private></Actions></Init>
<StopTrigger><ConditionGroup><Condition name="e" delay="0" conditionEdge="none"><ByValueCondition>
<SimulationTimeCondition value="0.1" rule="greaterThan"/></ByValueCondition></Condition></ConditionGroup>
</StopTrigger></Storyboard></OpenSCENARIO>
"""
DOMAIN = """name: push
mjcf: |
  <mujoco><worldbody><body name="ground"><geom name="ground" type="plane" size="5 5 .1"/></body>
  <body name="robot"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/>
  <joint type="hinge" axis="0 0 1"/><geom name="robot" type="cylinder" size=".09 .1" pos="0 0 .1"/></body>
  <body name="box"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/>
  <joint type="hinge" axis="0 0 1"/><geom name="box" type="box" size=".1 .1 .1" pos="0 0 .1"/></body>
  </worldbody></mujoco>
bodies:
  robot: {class: controlled, material: {mass: 2.5, restitution: 0.1}}
  box: {class: passive, material: {mass: 0.5, friction: 0.3}}
  ground: {class: static, floor: true, material: {friction: 0.4}}
place: {robot: [0, 0, 0], box: [0.6, 0.1]}
tactics:
  - name: pusher
    skills:
      behind: {skill: PositionAt, body: robot, around: box, distance: [0.3, 0.4]}
      push: {skill: DriveToSampledTarget, body: robot, area: [0.8, -0.6, 2, 0.6], seconds: 1.0}
    transitions:
      behind: {push: 1}
      push: {push: {when: {body: robot, near: box, within: 0.3}}, behind: 0.5}
    start: behind
goal: {all: [{body: box, inside: [1.0, -0.6, 1.8, 0.6]}, {body: box, slower: 0.3}]}
explore: {body: robot, area: [-1, -1.5, 2.5, 1.5]}
"""
PLACE = """map: hill.npy
from: [3, 3]
to: [35, 35]
obstacles: walls.geojson
vehicle: {mass: 1800, friction: 0.8}
"""
WALLS = {
    "type": "FeatureCollection",
    "features": [
        {
            "type": "Feature",
            "properties": {"mobility": 0.5},
            "geometry": {"type": "Polygon", "coordinates": [[[5, 5], [9, 5], [9, 9], [5, 5]]]},
        }
    ],
}
CIRCUIT = "# x_m,y_m,w_tr_right_m,w_tr_left_m\n" + "".join(
    f"{60 * np.cos(a):.3f},{40 * np.sin(a):.3f},4,4\n" for a in np.linspace(0, 2 * np.pi, 40, endpoint=False)
)
INPUTS = "t,steer,throttle,brake,indicator\n0,0,0.5,0,0\n0.5,0.1,0.4,0,1\n1.0,-0.1,0,1,0\n"
TACTIC = {
    "domain": "minigolf",
    "tactics": {
        "golfer": {
            "transitions": {},
            "habits": {"wait": {"situations": [[0.1, 0.2, 0.5, 0.6, 1, 0]], "shares": [[0.4]]}},
        }
    },
}
MAP = (
    "image: map.png\nresolution: 0.1\norigin: [0, 0, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.2\n"
)


LENS = {
    "lens": [900, 600, 450, -0.14, 0.02],
    "turn": [0, 0, 0],
    "place": [0, 0, 4.2],
    "width": 1200,
    "height": 900,
}


def make_files(folder: Path) -> None:
    """Everything that readers find beside their file."""
    grid = np.add.outer(np.arange(40.0), np.arange(40.0)) / 20
    t = np.arange(0, 1, 0.1)
    pose, velocity = np.column_stack([10 * t, 5 * t * t, t]), np.column_stack([10 + 0 * t, 10 * t])
    Recording.planar(t, 1, "car", pose, velocity, (4.4, 1.8, 1.4)).write(folder / "run.parquet")
    columns = ("x", "y", "heading")
    controls = np.zeros((len(t) - 1, 1))
    Plan(Status.SOLVED, t, pose, columns, controls, ("steer",)).save(folder / "plan.parquet")
    one = Recording.planar(t, 0, "blue robot (disc)", pose / 10, velocity / 10, (0.18, 0.18, 0.15))
    Recording(one.columns, {"names": ["blue-3"]}).write(folder / "match.parquet")
    tiles, light = np.zeros((2, 3), np.uint8), np.ones(16)
    np.savez_compressed(
        folder / "colours.npz",
        cells=np.zeros(1 << 15, np.uint8),
        bits=5,
        tiles=tiles,
        light=light,
        carpet=np.ones(3),
    )
    Image.fromarray(np.full((20, 30, 3), 90, np.uint8)).save(folder / "field.png")
    np.save(folder / "hill.npy", grid)
    np.savez_compressed(folder / "hill.npz", heights=grid, spacing=1.0)
    rows = "\n".join(" ".join(f"{h:g}" for h in row) for row in grid)
    (folder / "hill.asc").write_text(f"ncols 40\nnrows 40\nxllcorner 0\nyllcorner 0\ncellsize 1\n{rows}\n")
    Image.fromarray(np.full((20, 20), 254, np.uint8)).save(folder / "map.png")
    texts = {
        "tree.npz": DATA / "race" / "data" / "five.npz",
        "rider.yaml": DATA / "riders" / "data" / "human.yaml",
        "car.yaml": DATA / "race" / "data" / "cars" / "heavy.yaml",
        "weights.json": DATA / "riders" / "data" / "weights.json",
        "vans.yaml": SCENES / "vans.yaml",
        "team.yaml": DATA / "soccer" / "team" / "data" / "swerve.yaml",
    }
    for name, source in texts.items():
        (folder / name).write_bytes(source.read_bytes())
    for name, text in {
        "town.yaml": TOWN,
        "scenario.yaml": SCENARIO,
        "r.xodr": ROADS,
        "corner.net.xml": NET,
        "corner.osm": MAP_EXTRACT,
        "story.xosc": STORY,
        "push.yaml": DOMAIN,
        "place.yaml": PLACE,
        "walls.geojson": json.dumps(WALLS),
        "circuit.csv": CIRCUIT,
        "inputs.csv": INPUTS,
        "map.yaml": MAP,
        "lens.json": json.dumps(LENS),
        "labels.csv": "u,v,colour\n10,20,blue\n11,20,orange\n",
        "points.csv": "x,y,u,v,z\n0.5,1,600,450,0\n-1,2.5,10,20,0.15\n",
        "tactic.json": json.dumps(TACTIC),
        "parameters.json": json.dumps({"ball.restitution": 0.6, "floor.friction": 0.4}),
    }.items():
        (folder / name).write_text(text)
    make_newer(folder)
    try:
        import tifffile

        tifffile.imwrite(folder / "hill.tif", grid.astype(np.float32), compression="zlib")
    except ImportError:
        pass


def readers() -> dict[str, Callable[[Path], object]]:
    """Who reads which of the files."""
    from swerve.city.openscenario.play import play
    from swerve.city.simulator.inputs import FileInputs
    from swerve.city.simulator.scenario import load_scenario
    from swerve.race.cars import load_car
    from swerve.riders.steering.tune import load_tuned
    from swerve.scenes.load import load
    from swerve.soccer import load_playbook
    from swerve.soccer.eyes.labels import read_labels
    from swerve.soccer.eyes.own import load_camera, read_picture, read_points
    from swerve.soccer.eyes.recorded import field_of, scenes_of
    from swerve.soccer.eyes.table import ColourTable
    from swerve.tactics import load_domain
    from swerve.tactics.learned import read_learned, with_learned
    from swerve.tactics.loop.fit import read_parameters
    from swerve.tactics.occupancy import OccupancyMap
    from swerve.terrain.circuit import Circuit
    from swerve.terrain.elevation import read_elevation
    from swerve.terrain.geo import read_obstacles
    from swerve.terrain.scene_file import load_scene
    from swerve.terrain.surface import Terrain

    ground = Terrain.from_heights(np.zeros((40, 40)), (1.0, 1.0))
    plain = dict.fromkeys(
        (
            "run.parquet",
            "plan.parquet",
            "tree.npz",
            "rider.yaml",
            "vans.yaml",
            "town.yaml",
            "push.yaml",
            "r.xodr",
            "corner.net.xml",
            "corner.osm",
        ),
        load,
    )
    return {
        **plain,
        **dict.fromkeys(("hill.npy", "hill.npz", "hill.asc", "hill.tif"), read_elevation),
        "car.yaml": load_car,
        "team.yaml": load_playbook,
        "weights.json": lambda path: load_tuned("human", path),
        "parameters.json": read_parameters,
        "tactic.json": lambda path: with_learned(load_domain("minigolf"), read_learned(path)),
        "scenario.yaml": load_scenario,
        "story.xosc": lambda path: play(path, seconds=0.2),
        "place.yaml": load_scene,
        "walls.geojson": lambda path: read_obstacles(path, ground),
        "circuit.csv": Circuit.read,
        "inputs.csv": FileInputs,
        "map.yaml": OccupancyMap.read,
        "match.parquet": lambda path: (field_of(match := Recording.read(path)), list(scenes_of(match))),
        "colours.npz": ColourTable.load,
        "lens.json": load_camera,
        "field.png": read_picture,
        "labels.csv": lambda path: read_labels(path, 1200, 900),
        "points.csv": read_points,
        **newer_readers(),
    }
