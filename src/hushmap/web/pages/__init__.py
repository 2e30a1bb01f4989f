"""One file per page of the wizard."""
