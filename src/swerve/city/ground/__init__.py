"""Where else one can go: meshes, quadtrees, waypoints, and several of them stitched together."""

from .contexts import Graph, NavigationContext, graph_of
from .mesh import Mesh
from .mesh_of import mesh_of
from .mesh_path import find_path
from .mesh_read import mesh_of_town, mesh_of_triangles, read_obj
from .mesh_walk import Walker, walkable_mesh
from .meta import MetaConnection, MetaNetwork
from .quadtree import QuadTree
from .waypoints import WaypointNetwork

__all__ = [
    "Graph",
    "Mesh",
    "MetaConnection",
    "MetaNetwork",
    "NavigationContext",
    "QuadTree",
    "Walker",
    "WaypointNetwork",
    "find_path",
    "graph_of",
    "mesh_of",
    "mesh_of_town",
    "mesh_of_triangles",
    "read_obj",
    "walkable_mesh",
]
