"""The studio's server: the built page, a list of what can be opened, and a WebSocket for every page."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket as sockets
import threading
from collections.abc import AsyncIterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, WebSocket, WebSocketDisconnect
from fastapi.responses import FileResponse, JSONResponse, PlainTextResponse, Response

from swerve import __version__
from swerve.core.errors import BadInput
from swerve.core.files import to_json

from .folder import Folder
from .guard import COOKIE, MOST_BYTES, Bucket, Guard
from .nursery import Nursery
from .rooms import ROOMS
from .session import BIRTH, Session
from .words import JSON

MOST_SESSIONS = 12
LOOK = 0.05  # [s] between two looks at the nursery
POLICY_VIOLATION, TRY_LATER, BAD_DATA = 1008, 1013, 1007
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data: blob:; media-src blob:; "
    "style-src 'self' 'unsafe-inline'; connect-src 'self' ws: wss:; frame-ancestors 'self'; base-uri 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


def page_folder() -> Path:
    """Where the built page lies."""
    return Path(str(files("swerve.studio").joinpath("page")))


def is_built() -> bool:
    return (page_folder() / "index.html").is_file()


def make_app(folder: Folder, guard: Guard, prepare: bool = True) -> FastAPI:
    """The application; `guard` stands before every request, `prepare` loads the rooms in advance."""
    nursery = Nursery(str(folder.root), list(ROOMS) if prepare else [])
    nursery.start()
    sessions: set[Session] = set()

    @contextlib.asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        pacing = asyncio.create_task(_pace(nursery, sessions))
        yield
        pacing.cancel()
        for session in list(sessions):
            session.close()
        nursery.stop()

    app = FastAPI(title="Swerve studio", version=__version__, lifespan=life, openapi_url=None)
    app.state.sessions = sessions

    @app.middleware("http")
    async def checked(request: Request, go_on: Any) -> Response:
        why = guard.refuses(request.headers, request.query_params, request.cookies)
        if why:
            return PlainTextResponse(f"Refused: {why}.\n", 403, HEADERS)
        answer: Response = await go_on(request)
        answer.headers.update(HEADERS)
        if guard.token is not None and request.query_params.get("token"):
            answer.set_cookie(COOKIE, guard.token, httponly=True, samesite="strict")
        return answer

    @app.get("/api/menu")
    async def listed() -> Response:
        for _ in range(int(BIRTH / LOOK)):
            if nursery.menu is not None or nursery.has_died():
                break
            await asyncio.sleep(LOOK)
        menu, files = await asyncio.to_thread(lambda: (nursery.know_menu(), folder.listing()))
        what = {**menu, "files": files, "version": __version__}
        return Response(to_json(what), media_type="application/json")

    @app.get("/api/health")
    async def health() -> JSONResponse:
        return JSONResponse({"sessions": len(sessions), "version": __version__})

    @app.websocket("/ws")
    async def talk(socket: WebSocket) -> None:
        why = guard.refuses(socket.headers, socket.query_params, socket.cookies)
        if why or len(sessions) >= MOST_SESSIONS:
            await socket.close(POLICY_VIOLATION if why else TRY_LATER, why or "too many pages are open")
            return
        await socket.accept()
        session = Session(nursery, asyncio.get_running_loop())
        sessions.add(session)
        sender = asyncio.create_task(_send(socket, session))
        try:
            await _receive(socket, session)
        finally:
            sessions.discard(session)
            sender.cancel()
            await asyncio.to_thread(session.close)

    @app.get("/{path:path}")
    async def page(path: str) -> Response:
        root = page_folder().resolve()
        wanted = (root / (path or "index.html")).resolve()
        if not wanted.is_relative_to(root) or not wanted.is_file():
            return PlainTextResponse("Not found.\n", 404)
        return FileResponse(wanted)

    return app


async def _pace(nursery: Nursery, sessions: set[Session]) -> None:
    """Let the nursery prepare rooms as long as nobody waits for one."""
    while True:
        nursery.pace(any(session.opening for session in sessions), bool(sessions))
        await asyncio.sleep(LOOK)


async def _send(socket: WebSocket, session: Session) -> None:
    with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError):
        while True:
            data = await session.next()
            if data[:1] == JSON:
                await socket.send_text(data[1:].decode())
            else:
                await socket.send_bytes(data)


async def _receive(socket: WebSocket, session: Session) -> None:
    """Hand on what the page says as long as it keeps to size, rate and form."""
    bucket = Bucket()
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        while True:
            came = await socket.receive()
            if came["type"] != "websocket.receive":
                return None
            text = came.get("text")
            if not bucket.takes():
                return await socket.close(POLICY_VIOLATION, "too many messages")
            message = None if text is None or len(text) > MOST_BYTES else _message(text)
            if text is None or message is None:
                return await socket.close(BAD_DATA, "messages are JSON objects with a type")
            session.tell(text, str(message.get("room")) if message["type"] == "open" else None)


def _message(text: str) -> dict[str, Any] | None:
    """An object with a type, or None."""
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return given if isinstance(given, dict) and isinstance(given.get("type"), str) else None


def serve(folder: str | Path, host: str, port: int, open_page: bool = False, prepare: bool = True) -> None:
    """Serve until interrupted."""
    import sys
    import webbrowser

    import uvicorn

    guard = Guard.of(host)
    app = make_app(Folder(folder), guard, prepare)
    family = sockets.AF_INET6 if ":" in host else sockets.AF_INET
    listener = sockets.socket(family, sockets.SOCK_STREAM)
    listener.setsockopt(sockets.SOL_SOCKET, sockets.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(128)  # whoever follows the printed address at once waits, and is not refused
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or error
        raise BadInput("--host and --port", f"{host}:{port}", f"cannot listen there ({why})") from error
    port = listener.getsockname()[1]
    shown = _own_address(family) if host in ("0.0.0.0", "::") else host
    shown = f"[{shown}]" if ":" in shown else shown
    address = f"http://{shown}:{port}/" + (f"?token={guard.token}" if guard.token else "")
    print(f"The studio is at {address}", flush=True)
    if guard.token:
        print(
            f"Anybody who knows this address can use it and read {Path(folder).resolve()}.", file=sys.stderr
        )
    if open_page:
        threading.Timer(0.8, webbrowser.open, (address,)).start()
    config = uvicorn.Config(
        app, log_level="warning", ws_max_size=MOST_BYTES, ws_max_queue=64, ws_per_message_deflate=False,
        timeout_graceful_shutdown=2, server_header=False,
    )  # fmt: skip
    uvicorn.Server(config).run([listener])


def _own_address(family: int) -> str:
    """By which others reach this machine: of the interface that leads outside. Nothing is sent."""
    outside = "2001:db8::1" if family == sockets.AF_INET6 else "192.0.2.1"  # of nobody, by RFC 3849 and 5737
    with sockets.socket(family, sockets.SOCK_DGRAM) as probe:
        try:
            probe.connect((outside, 9))
            return str(probe.getsockname()[0])
        except OSError:
            return "localhost"
