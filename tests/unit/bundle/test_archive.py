"""A half of a bundle as one file: nothing of the other half, nothing of the owner's machine."""

import io
import zipfile

import hushmap as hm
from hushmap.bundle.archive import zipped


def bundle(folder):
    graph = hm.discover(hm.read_log("examples/hospital.csv"))
    return hm.release(hm.plan(graph, max_risk=0.2)).write(folder, picture=False)


def test_each_half_holds_its_files_and_no_others(tmp_path):
    written = bundle(tmp_path / "out")
    for paths, folder, private in (
        (written.public, "public", False),
        (written.owner, "owner", True),
    ):
        archive = zipfile.ZipFile(io.BytesIO(zipped(paths, folder, private=private)))
        assert archive.namelist() == sorted(f"{folder}/{path.name}" for path in paths)
        for path in paths:
            assert archive.read(f"{folder}/{path.name}") == path.read_bytes()
        modes = {entry.external_attr >> 16 & 0o777 for entry in archive.infolist()}
        assert modes == ({0o600} if private else {0o644})


def test_the_public_half_unpacked_is_what_a_receiver_can_check(tmp_path):
    written = bundle(tmp_path / "out")
    content = zipped(written.public, "public", private=False)
    zipfile.ZipFile(io.BytesIO(content)).extractall(tmp_path / "received")
    assert hm.read_release(tmp_path / "received" / "public").certificate.risk == 0.2


def test_an_archive_tells_neither_time_nor_place(tmp_path):
    written = bundle(tmp_path / "out")
    content = zipped(written.public, "public", private=False)
    assert zipped(written.public[::-1], "public", private=False) == content
    assert str(tmp_path).encode() not in content
    assert {entry.date_time[0] for entry in zipfile.ZipFile(io.BytesIO(content)).infolist()} == {
        1980
    }
