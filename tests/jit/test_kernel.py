"""What numba does not say twice: kernels that are compiled for a record and for a longer one that begins like it."""

from __future__ import annotations

from salad_sim.jit.kernel import kernel
from salad_sim.jit.records import new_record, record_dtype

SHORT = record_dtype([("x", "i8"), ("y", "i8")])
LONG = record_dtype([("x", "i8"), ("y", "i8"), ("z", "i8")])


@kernel
def added(record):
    return record.x + record.y


@kernel
def doubled(record):
    return 2 * added(record)


def test_a_longer_record_has_a_kernel_of_its_own_and_nothing_is_said_of_it() -> None:
    for dtype in (SHORT, LONG):
        record = new_record(dtype)
        record.x, record.y = 3, 4
        assert doubled(record) == 14
    assert len(added.signatures) == 2
