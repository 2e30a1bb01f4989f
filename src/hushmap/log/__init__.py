"""Event logs: XES, CSV, Parquet, data frames and databases, read into one shape."""

from hushmap.log.event_log import EventLog, QualityReport
from hushmap.log.reading import from_frame, read_log

__all__ = ["EventLog", "QualityReport", "from_frame", "read_log"]
