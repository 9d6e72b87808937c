import subprocess
import sys

RACE = """
import sys, threading
import msgspec
from windlull.contract import engine
from windlull.contract.prepared import prepare

sys.setswitchinterval(1e-6)
if "unprepared" not in sys.argv:
    assert prepare() > 200

def read(kind, meet):
    meet.wait()
    try:
        msgspec.convert({name: {} for name in reversed(kind.__struct_fields__)}, kind)
    except msgspec.ValidationError:
        pass

# A file's shape that nobody reads here: msgspec has no such union.
unread = {"Document"}
for kind in (engine.Experiment, *(kind for kind in vars(engine).values() if isinstance(kind, type(msgspec.Struct)))):
    if kind.__name__ in unread:
        continue
    meet = threading.Barrier(4)
    threads = [threading.Thread(target=read, args=(kind, meet)) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
"""


def test_threads_may_meet_a_prepared_type_at_once() -> None:
    # With `unprepared` it ends with a segmentation fault.
    done = subprocess.run([sys.executable, "-c", RACE], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
