"""No damage to a file, by chance or by design, does anything but a clean scan or a refusal."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.fuzz_reading import fuzz, is_clean, outcome, valid_files
from shapedp.base.errors import Rejected
from shapedp.surfaces.scans import parse

FILES = valid_files()
SUFFIXES = st.sampled_from([".ply", ".obj", ".stl", ".off", ".xyz", ".csv", ".npy", ".npz", ".mat", ""])


def test_the_files_are_sound_before_they_are_damaged(tmp_path):
    for name, data in FILES.items():
        (tmp_path / name).write_bytes(data)
        assert outcome(tmp_path / name) == ("unknown_format" if name == "other.zip" else "clean")


@pytest.mark.slow
def test_500_damaged_files():
    assert fuzz(inputs=500, seed=5) == (500, 0)


@pytest.mark.slow
@settings(max_examples=300, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.one_of(
        st.binary(max_size=400),
        st.text(alphabet='0123456789.,;-+eEvf/ \t\n\r"#xyzna_', max_size=200).map(str.encode),
        st.builds(
            lambda data, cut, more: data[:cut] + more,
            st.sampled_from(list(FILES.values())),
            st.integers(0, 3000),
            st.binary(max_size=40),
        ),
    ),
    SUFFIXES,
)
def test_any_bytes_under_any_name(data, suffix):
    try:
        assert is_clean(parse(data, suffix))
    except Rejected as refusal:
        assert refusal.code


@pytest.mark.parametrize(
    "name", ["ascii.ply", "big.ply", "faces.off", "binary.stl", "ascii.stl", "written.npy", "stored.npz"]
)
def test_a_file_cut_anywhere_is_never_read_as_whole(name):
    data = FILES[name].rstrip()
    end = data.rfind(b"endsolid") if name == "ascii.stl" else len(data) - 1  # behind it nothing of the scan is left
    for cut in range(0, end, 7):
        with pytest.raises(Rejected):
            parse(data[:cut], "." + name.split(".")[1])
