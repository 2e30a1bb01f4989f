"""Pictures and pages of a released map, and the plots of its owner.

Everything public is made of a `ReleasedGraph` and its `Certificate` alone; `owner_report` is the
one module that draws exact figures, handed to it in an `OwnerReport`. Equal input gives equal
bytes. Graphviz runs in a process of its own, and only when a map is drawn.
"""

from hushmap.picture.map_html import map_html as map_html
from hushmap.picture.map_png import map_png as map_png
from hushmap.picture.map_svg import map_svg as map_svg
from hushmap.picture.notebook import mime_bundle as mime_bundle
from hushmap.picture.owner_report import owner_report_html as owner_report_html
from hushmap.picture.plots import frontier_svg as frontier_svg
from hushmap.picture.plots import heat_map_svg as heat_map_svg
from hushmap.picture.plots import histogram_svg as histogram_svg
