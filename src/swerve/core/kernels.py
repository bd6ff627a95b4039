"""Compiled kernels: one decorator, a cache on disk, and a word to the user while compiling.

A kernel is a plain function over arrays and numbers, compiled on first use and cached beside its module, or
where the package cannot be written, in the user's cache, or for want of that in a temporary folder of theirs.
"""

import os
import sys
import tempfile
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import event

from .interrupts import compiling

F = TypeVar("F", bound=Callable[..., Any])


def cache_folder(package: Path) -> Path | None:
    """Where compiled kernels are to be kept; None is beside their modules. What is kept is run again later,
    so nobody else may be able to write there."""
    if os.access(package, os.W_OK):
        return None
    own = Path(os.environ.get("XDG_CACHE_HOME") or Path("~").expanduser() / ".cache") / "swerve" / "kernels"
    for folder in (own, Path(tempfile.gettempdir()) / f"swerve-kernels-{os.getuid()}"):
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            about = folder.lstat()
        except OSError:
            continue
        mine = about.st_uid == os.getuid() and not about.st_mode & 0o022 and folder.is_dir()
        if mine and not folder.is_symlink() and os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.mkdtemp(prefix="swerve-kernels-"))  # compiled again every time


def _spare_scipy() -> None:
    """Let Numba load its array functions without looking whether scipy's linear algebra is there: it is, and
    to load it takes longer than to load most commands' kernels. Kernels that use it load it themselves."""
    from numba.np import linalg

    look, linalg.ensure_blas = linalg.ensure_blas, lambda: None
    try:
        from numba.np import arraymath  # noqa: F401
    finally:
        linalg.ensure_blas = look


def _spare_compiler() -> None:
    """Let Numba load kernels from its cache without making ready, at each of them, all that it could compile
    with, which takes longer than to load them. Whatever is compiled later makes that ready itself; what
    loaded code may ask for by name is there with Numba's runtime and with `numba.cpython.hashing`."""
    from numba.core.caching import Cache
    from numba.core.runtime import rtsys

    if not all(hasattr(Cache, name) for name in ("_load_overload", "_guard_against_spurious_io_errors")):
        return  # another Numba than is known here
    ready = Cache.load_overload

    def load(self: Any, signature: Any, context: Any) -> Any:
        if "numba.cpython.hashing" not in sys.modules:
            return ready(self, signature, context)
        rtsys.initialize(context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(signature, context)

    Cache.load_overload = load  # type: ignore[method-assign]


def _spare_bitcode() -> None:
    """Let what a kernel from the cache could be copied into others by, which takes longer to read than all
    else of it, be read when another kernel that calls it is compiled."""
    from llvmlite.binding import parse_bitcode
    from numba.core.codegen import JITCodeLibrary as Library

    names = ("_unserialize", "_get_module_for_linking", "_set_compiled_object", "_finalize_final_module")
    if not all(hasattr(Library, name) for name in names):
        return  # another Numba than is known here
    whole, linked, pointer = (
        Library._unserialize.__func__,  # type: ignore[attr-defined]
        Library._get_module_for_linking,
        Library.get_pointer_to_function,
    )

    def unserialize(cls: Any, codegen: Any, state: Any) -> Any:
        name, kind, data = state
        if kind != "object":
            return whole(cls, codegen, state)
        library = codegen.create_library(name)
        library._unread = data
        library.enable_object_caching()
        library._set_compiled_object(data[0])
        library._finalize_final_module()
        return library

    def get_module_for_linking(self: Any) -> Any:
        if getattr(self, "_unread", None):
            self._shared_module = parse_bitcode(self._unread[1])
            self._codegen._engine._load_defined_symbols(self._shared_module)
            self._unread = None
        return linked(self)

    def get_pointer_to_function(self: Any, name: str) -> Any:
        if getattr(self, "_unread", None) and name.encode() in self._unread[0]:
            self._codegen._engine._defined_symbols.add(name)
        return pointer(self, name)

    Library._unserialize = classmethod(unserialize)  # type: ignore[assignment]
    Library._get_module_for_linking = get_module_for_linking  # type: ignore[method-assign]
    Library.get_pointer_to_function = get_pointer_to_function  # type: ignore[method-assign]


def _spare_trials() -> None:
    """Let Numba try once whether a folder takes files, not for every kernel that is to be kept there."""
    from numba.core.caching import _CacheLocator as Locator

    if not all(hasattr(Locator, name) for name in ("ensure_cache_path", "get_cache_path")):
        return  # another Numba than is known here
    tried: set[str] = set()
    ensure = Locator.ensure_cache_path

    def ensure_cache_path(self: Any) -> None:
        folder = self.get_cache_path()
        if folder not in tried or not os.path.isdir(folder):  # somebody may have tidied up meanwhile
            ensure(self)
            tried.add(folder)

    Locator.ensure_cache_path = ensure_cache_path  # type: ignore[method-assign]


_spare_scipy()
_spare_compiler()
_spare_bitcode()
_spare_trials()
_config: Any = numba.config
if not _config.CACHE_DIR:
    _config.CACHE_DIR = str(cache_folder(Path(__file__).parents[1]) or "")


# What kernels hand to kernels: Python's own True, False and numbers written out are types to Numba, which
# compiles the one that is called, and all that it calls, anew for each of them; these are values.
plain = cast(type[int], np.int64)
NO, YES = cast(bool, np.bool_(False)), cast(bool, np.bool_(True))

_PLAIN: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
_BARE: dict[str, Any] = {**_PLAIN, "_nrt": False}


def kernel(function: F) -> F:
    """Compile with Numba, cached on disk, without Python objects and without the GIL."""
    return _compiled(function, _PLAIN)


def bare(function: F) -> F:
    """A kernel for innermost loops: it may not make or return arrays, and counts no references to them.

    Counting is atomic, and where small kernels hand arrays to each other it takes longer than their work.
    """
    return _compiled(function, _BARE)


def inlined(function: F) -> F:
    """A bare kernel that is copied into its callers, because handing over many arrays takes time too."""
    return _compiled(function, {**_BARE, "forceinline": True})


def inner(kernel: F) -> F:
    """A kernel, of any kind above, that kernels alone call: without what Python would hand arrays over by, it
    takes less time to compile, much less where it takes tables of many columns."""
    function: F = cast(Any, kernel).py_func
    return cast(F, _Inner(function, {**_options[function], "no_cpython_wrapper": True}))


_options: dict[Callable[..., Any], dict[str, Any]] = {}


def _compiled(function: F, options: dict[str, Any]) -> F:
    _options[function] = options
    return cast(F, numba.njit(**options)(function))


class _Inner:
    """Typed in kernels as what it holds, which is made when a kernel that calls it is compiled; Python may
    not call it, lest it jump to where nothing is."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        self.py_func, self._options = function, options
        self.__name__, self.__doc__ = function.__name__, function.__doc__

    @cached_property
    def _held(self) -> Any:
        return _compiled(self.py_func, self._options)

    @cached_property
    def _numba_type_(self) -> Any:
        return numba.types.Dispatcher(self._held)  # types hold what they type weakly

    def __call__(self, *_: object) -> None:
        raise TypeError(f"{self.__name__} is called by kernels only; in Python there is its py_func")


class _CompileNotice(event.Listener):
    """Says once, on standard error, that kernels are being compiled."""

    said = False

    def on_start(self, event: object) -> None:
        from .progress import is_quiet

        compiling(1)
        if not _CompileNotice.said and not is_quiet():
            _CompileNotice.said = True
            print("swerve: compiling kernels for first use; the next start is quick ...", file=sys.stderr)

    def on_end(self, event: object) -> None:
        compiling(-1)


event.register("numba:compile", _CompileNotice())
