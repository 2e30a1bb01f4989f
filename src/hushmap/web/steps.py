"""What each step computes, by the functions that the command line calls. Runs in threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hushmap.web.project import Bundle, Rehearsal

if TYPE_CHECKING:
    from collections.abc import Callable

    from hushmap.web.jobs import Job, Jobs
    from hushmap.web.project import Project


def start(jobs: Jobs, project: Project, name: str, work: Callable[[Project, Job], None]) -> Job:
    """Have a step done; one at a time for each project."""

    def locked(job: Job) -> None:
        with project.lock:
            try:
                work(project, job)
            finally:
                if project.ended:  # meanwhile: nothing of it is kept
                    project.close()

    project.problem = None
    project.job = jobs.start(name, locked)
    return project.job


def read(project: Project, job: Job) -> None:
    """Look at the file, read the log, count what is in it."""
    from dataclasses import asdict

    import hushmap as hm
    from hushmap.log.peek import peek

    assert project.source is not None
    options = project.reading.options()
    project.first = peek(project.source.path, options)
    job.go_on()
    log = hm.read_log(project.source.path, **asdict(options), on_progress=job.on_progress)
    job.go_on()
    project.inspection = hm.inspect(log)
    project.log = log


def weigh(project: Project, _job: Job) -> None:
    """Discover the graph if it has to be another, and compute the curve of risk against error."""
    import hushmap as hm
    from hushmap.planning.tradeoff import Tradeoff

    assert project.log is not None
    wish = project.wish
    parameters = wish.parameters()
    made_with = (wish.resolution, wish.bound, parameters.histograms)
    if project.graph is None or project.made_with != made_with:
        project.graph = hm.discover(
            project.log,
            resolution=wish.resolution,
            max_duration=wish.bound,
            histograms=parameters.histograms,
        )
        project.made_with = made_with
    tradeoff = Tradeoff(project.graph, parameters)
    tradeoff.curve  # noqa: B018 - computed once, here
    project.tradeoff = tradeoff


def rehearse(project: Project, _job: Job) -> None:
    """Plan, state the promise, and simulate a draw."""
    import hushmap as hm
    from hushmap.picture.simulated import simulated_map
    from hushmap.planning.plan import plan_with
    from hushmap.release.release import promise

    assert project.graph is not None
    assert project.limit is not None
    parameters = project.wish.parameters(project.limit)
    parameters.require_limit()
    parameters.require_named_range()
    plan = plan_with(project.graph, parameters)
    project.rehearsal = Rehearsal(
        project.limit, plan, promise(plan), simulated_map(hm.simulate(plan, project.seed))
    )


def draw(project: Project, _job: Job) -> None:
    """Draw, once; then write the files. If writing fails it can be tried again, with that draw."""
    import hushmap as hm
    from hushmap.bundle.archive import zipped

    assert project.rehearsal is not None
    if project.release is None:
        try:
            project.release = hm.release(project.rehearsal.plan)
        except BaseException:
            project.drawing = False  # nothing was released
            raise
    written = project.release.write(project.folder / "bundle", overwrite=True)
    project.bundle = Bundle(
        {path.name: path.read_bytes() for path in written.public},
        zipped(written.public, "public", private=False),
        zipped(written.owner, "owner", private=True),
    )
