"""Publish the process map of an event log without exposing the people in it."""

from hushmap import exceptions as exceptions
from hushmap.bundle.reading import PublicRelease as PublicRelease
from hushmap.bundle.reading import read_release as read_release
from hushmap.discovery import discover as discover
from hushmap.discovery import from_transitions as from_transitions
from hushmap.graph import Edge as Edge
from hushmap.graph import ExactGraph as ExactGraph
from hushmap.graph import ReleasedGraph as ReleasedGraph
from hushmap.graph import SimulatedGraph as SimulatedGraph
from hushmap.inspection import inspect as inspect
from hushmap.log import EventLog as EventLog
from hushmap.log import from_frame as from_frame
from hushmap.log import read_log as read_log
from hushmap.planning.plan import Plan as Plan
from hushmap.planning.plan import plan as plan
from hushmap.release.certificate import Certificate as Certificate
from hushmap.release.release import Release as Release
from hushmap.release.release import release as release
from hushmap.release.release import simulate as simulate
