"""From a limit to a noise scale for every edge: P1 and P2."""
