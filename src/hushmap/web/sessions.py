"""Who may enter: one-time tokens, the cookies they are exchanged for, and each browser's projects.

Everything is in memory and unguessable. A project belongs to the browser that made it; two
windows of one browser have two projects and learn nothing of one another.
"""

from __future__ import annotations

import secrets
import threading
import time
from typing import TYPE_CHECKING

from hushmap.exceptions import UsageError
from hushmap.web.project import Project

if TYPE_CHECKING:
    from hushmap.web.limits import Limits
    from hushmap.web.private_folder import PrivateFolder


class Session:
    """One browser.

    Attributes:
        cookie: The value of its cookie.
        form_token: What each of its forms must carry, so that no other site can post in its name.
        projects: By id.
    """

    def __init__(self) -> None:
        self.cookie = secrets.token_urlsafe(32)
        self.form_token = secrets.token_urlsafe(32)
        self.projects: dict[str, Project] = {}

    def __repr__(self) -> str:
        return f"Session({len(self.projects)} projects)"


class Sessions:
    """All browsers of a server.

    Args:
        folder: Where the projects keep their files.
        limits: How many at a time.
    """

    def __init__(self, folder: PrivateFolder, limits: Limits) -> None:
        self._folder = folder
        self._limits = limits
        self._tokens: set[str] = set()
        self._sessions: dict[str, Session] = {}
        self._guard = threading.Lock()

    def invite(self) -> str:
        """A token that lets one browser in, once."""
        token = secrets.token_urlsafe(24)
        with self._guard:
            self._tokens.add(token)
        return token

    def enter(self, token: str) -> Session | None:
        """Exchange a token for a session; None where it is unknown or was used."""
        with self._guard:
            known = [kept for kept in self._tokens if _equal(kept, token)]
            if not known or self.full:
                return None
            self._tokens.discard(known[0])
            session = Session()
            self._sessions[session.cookie] = session
            return session

    @property
    def full(self) -> bool:
        """Whether no further browser is let in."""
        return len(self._sessions) >= self._limits.sessions

    def of(self, cookie: str | None) -> Session | None:
        """The session of a cookie."""
        if not cookie:
            return None
        return next((s for kept, s in list(self._sessions.items()) if _equal(kept, cookie)), None)

    def new_project(self, session: Session) -> Project:
        """A project for a window.

        Raises:
            UsageError: There are too many.
        """
        with self._guard:
            if sum(len(one.projects) for one in self._sessions.values()) >= self._limits.projects:
                raise UsageError(
                    "Too many windows are open at once.",
                    hint="End a project in one of them (at the foot of its page), then try again.",
                )
            project = Project(secrets.token_urlsafe(12), self._folder.new())
            session.projects[project.id] = project
            return project

    def end(self, session: Session, project: Project) -> None:
        """Wipe a project and forget it."""
        with self._guard:
            session.projects.pop(project.id, None)
        project.close()

    def end_idle(self) -> None:
        """Wipe the projects that nobody has looked at for long."""
        oldest = time.monotonic() - self._limits.idle
        for session in list(self._sessions.values()):
            for project in list(session.projects.values()):
                if project.touched < oldest and not project.busy:
                    self.end(session, project)

    def close(self) -> None:
        """Forget everything."""
        for session in list(self._sessions.values()):
            for project in list(session.projects.values()):
                self.end(session, project)
        self._sessions.clear()
        self._tokens.clear()


def _equal(kept: str, given: str) -> bool:
    return secrets.compare_digest(kept.encode(), given.encode("utf-8", "replace"))
