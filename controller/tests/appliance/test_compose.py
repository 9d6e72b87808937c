"""The appliance on a real Docker engine: from nothing, through a run, a killed emulator, strangers' images, and back.

The tests tell one story, in the order in which they stand.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING, Any
from unittest.mock import ANY

import pytest

from tests.appliance.appliance import EDITED, OWN
from tests.appliance.queries import ROOT, all_queries
from tests.end_to_end.command import faults, said

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.appliance.appliance import Appliance

SIDES = {"windlull-test_client-side", "windlull-test_server-side"}
CONTROL = "windlull-test_control"
EXPERIMENT = "first-look-live"
OURS = {"newreno", "sack", "frto+sack", "eifel+sack", "dsack+sack", "rack-tlp"}
"""What the browser runs on the link that it draws, beside Linux."""
DRAWN = "drawn-on-the-appliance"
SIZE = 20 * 1024
"""Octets of the experiment's workload."""
NEAR = """title = "Near"
[both]
rate = "10 Mbit/s"
delay = "1 ms"
queue = { kind = "droptail", limit = "100 packets" }
"""
"""A link that lets everything pass."""

A_RUN_HAS_IT = (
    r"exec 3<>/dev/tcp/127.0.0.1/7411 && printf 'GET /metrics HTTP/1.0\r\n\r\n' >&3"
    " && grep -q '^windlull_emulator_lent 1' <&3"
)
"""Succeeds in the emulator's container while a run has the link."""

KILLS = int(os.environ.get("WINDLULL_KILLS", "1"))
"""How often each service is killed in a queue of live runs."""
KILLED = ("emulator", "server", "client", "controller", "postgres")
LINK_AGAIN_S = 5.0
"""How long at most no link stands after the emulator was killed."""

NOBODY = "00:00:00:00:00:00"
SERVER, ROUTER = "198.18.1.10", "198.18.2.254"


@pytest.fixture(scope="module")
def runs(appliance: Appliance) -> list[Any]:
    """The runs of an experiment that was set up through the API, on the containers."""
    return appliance.until_valid(appliance.submit(EXPERIMENT, testbed="compose"))


def live(runs: list[Any]) -> list[Any]:
    return [run for run in runs if run["testbed"] == "compose"]


# --- what came up -----------------------------------------------------------------------------------------------------


def test_all_came_up(appliance: Appliance) -> None:
    containers = appliance.containers()
    assert set(containers) | appliance.missing >= {
        "emulator", "server", "client", "controller", "postgres", "prometheus", "grafana", "keys",
    }  # fmt: skip
    assert containers.pop("keys")["State"]["ExitCode"] == 0
    for service, container in containers.items():
        assert container["State"]["Health"]["Status"] == "healthy", service


def test_no_container_can_do_more_than_it_must(appliance: Appliance) -> None:
    for service, container in appliance.containers().items():
        host, config = container["HostConfig"], container["Config"]
        assert not host["Privileged"], service
        assert not any("docker.sock" in json.dumps(mount) for mount in container["Mounts"]), service
        assert not host["Devices"], service
        assert (host["PidMode"], host["IpcMode"]) in {("", "private"), ("", "shareable")}, service
        assert host["ReadonlyRootfs"], service
        assert config["User"] not in {"", "root", "0"}, service
        assert host["CapDrop"] == ["ALL"], service
        ours = service in {"emulator", "server", "client"}
        assert sorted(host["CapAdd"] or []) == (["NET_ADMIN", "NET_RAW"] if ours else []), service
        assert ours or "no-new-privileges:true" in host["SecurityOpt"], service
        assert min(host["Memory"], host["NanoCpus"], host["PidsLimit"]) > 0, service
        for ports in host["PortBindings"].values():
            assert {port["HostIp"] for port in ports} == {"127.0.0.1"}, service


def test_nobody_is_root_inside(appliance: Appliance) -> None:
    for service in set(appliance.containers()) - {"keys"}:
        assert appliance.execute(service, "id", "-u").stdout.strip() != "0", service


def test_networks_are_those_of_the_drawing(appliance: Appliance) -> None:
    joined = {
        service: set(container["NetworkSettings"]["Networks"]) for service, container in appliance.containers().items()
    }
    assert joined.pop("keys") == {"none"}
    assert joined.pop("emulator") == {*SIDES, CONTROL}
    assert joined.pop("server") | joined.pop("client") == SIDES
    assert set.union(*joined.values()) == {CONTROL}


def test_who_has_not_the_token_is_told_nothing(appliance: Appliance) -> None:
    assert appliance.ask("GET", "batches", token="0" * 64)[0] == 401


def test_prometheus_scrapes_every_target(appliance: Appliance) -> None:
    everything = {"controller": "up", "emulator": "up", "prometheus": "up"}
    appliance.until(lambda: appliance.prometheus.targets() == everything, "targets")


def test_the_doctor_finds_the_testbed(appliance: Appliance) -> None:
    testbeds = {one["name"]: one for one in appliance.get("testbeds")["testbeds"]}
    assert testbeds["compose"]["works"], testbeds["compose"]


def test_it_says_what_it_is(appliance: Appliance) -> None:
    output = appliance.execute("controller", "windlull", "--version").stdout
    assert len(re.findall(r"\d, commit [0-9a-f]{12}", output)) == 2, output
    assert "unknown" not in output


# --- a run ------------------------------------------------------------------------------------------------------------


def test_an_experiment_runs_client_emulator_server(runs: list[Any]) -> None:
    assert sorted((run["testbed"], run["variant"], run["state"]) for run in runs) == [
        ("compose", "frto+sack", "done"), ("compose", "linux", "done"), ("compose", "linux-no-frto", "done"),
        ("sim", "frto+sack", "done"),
    ]  # fmt: skip


def test_its_certificate_holds(runs: list[Any]) -> None:
    for run in live(runs):
        certificate = run["result"]["certificate"]
        assert certificate["valid"], certificate["reasons"]
        assert (certificate["super_packets"], certificate["bad_checksums"]) == (0, 0)


def test_its_captures_are_right(appliance: Appliance, runs: list[Any], tmp_path: Path) -> None:
    for run in live(runs):
        for end in ("server", "client"):
            file = appliance.download(f"runs/{run['id']}/captures/{end}", tmp_path / f"{run['id']}-{end}.pcapng")
            assert faults(file) == "", (run["variant"], end)
            fields = [word for name in ("ip.src", "ip.len", "tcp.seq", "tcp.len") for word in ("-e", name)]
            output = said(["tshark", "-n", "-r", str(file), "-T", "fields", *fields])
            packets = [line.split("\t") for line in output.splitlines() if line]
            assert len({source for source, *_ in packets}) == 2, (run["variant"], end)
            assert max(int(length) for _, length, *_ in packets) <= 1500
            # Each octet of the transfer, however often it was sent.
            octets = {number for _, _, first, size in packets for number in range(int(first), int(first) + int(size))}
            assert len(octets) == SIZE, (run["variant"], end)


OVER_IPV6 = """title = "Over IPv6"
network = "ipv6"
links = ["near-over-ipv6"]
variants = ["sack"]
repetitions = 1
workload = { kind = "bulk", size = "100 kB", direction = "down" }

[live]
variants = ["linux"]
"""
"""On networks of Docker's that have no IPv6."""


def test_runs_over_ipv6_need_no_network_with_it(appliance: Appliance, tmp_path: Path) -> None:
    appliance.ask("POST", "links", {"name": "near-over-ipv6", "toml": NEAR})
    assert appliance.ask("POST", "experiments", {"name": "over-ipv6", "toml": OVER_IPV6})[0] == 201
    before = {host: appliance.execute(host, "ip", "address").stdout for host in ("server", "client")}
    runs = live(appliance.until_valid(appliance.submit("over-ipv6", testbed="compose")))
    assert sorted((run["variant"], run["state"]) for run in runs) == [("linux", "done"), ("sack", "done")]
    for run in runs:
        for end in ("server", "client"):
            file = appliance.download(f"runs/{run['id']}/captures/{end}", tmp_path / f"{run['id']}-{end}.pcapng")
            assert faults(file) == "", (run["variant"], end)
            addresses = said(["tshark", "-n", "-r", str(file), "-T", "fields", "-e", "ipv6.addr"]).split()
            assert set(addresses) == {"2001:2::1,2001:2::2", "2001:2::2,2001:2::1"}, (run["variant"], end)
    assert before == {host: appliance.execute(host, "ip", "address").stdout for host in ("server", "client")}


def in_the_browser(appliance: Appliance, test: str) -> None:
    """Do in a real browser what web/browser/appliance has under this name."""
    place = appliance.compose("port", "controller", "8642").strip()
    environment = os.environ | {"WINDLULL_URL": f"http://{place}", "WINDLULL_TOKEN": appliance.token()}
    done = subprocess.run(
        ["npx", "vitest", "run", "--config", "vitest.appliance.config.ts", "--reporter", "json", "-t", test],
        cwd=ROOT / "web", env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["numPassedTests"] == 1, done.stdout


def test_a_link_is_drawn_and_seven_variants_compared_in_the_page(appliance: Appliance) -> None:
    in_the_browser(appliance, "compares six variants of ours and Linux on a link that was drawn")


@pytest.fixture
def edited(appliance: Appliance) -> Iterator[Appliance]:
    """The appliance of the images of sources in which a mechanism was edited and not committed."""
    with appliance.of_version(*EDITED):
        yield appliance


def simulated(appliance: Appliance) -> dict[str, Any]:
    """What the runs of our variants in the newest batch of the drawn link measured, in the simulator."""
    newest = appliance.get(f"batches?experiment={DRAWN}")["items"][0]["id"]
    runs = [appliance.get(f"runs/{run['id']}") for run in appliance.get(f"runs?batch={newest}")["items"]]
    return {run["variant"]: run["result"]["metrics"] for run in runs if run["testbed"] == "sim"}


def test_an_edited_mechanism_is_run_and_not_looked_up_in_the_page(edited: Appliance) -> None:
    before = simulated(edited)
    in_the_browser(edited, "runs it again with an edited mechanism, and takes nothing from before the edit")
    after = simulated(edited)
    assert set(before) == OURS
    assert {name for name in OURS if after[name] != before[name]} == OURS


# --- what goes wrong --------------------------------------------------------------------------------------------------


def test_an_emulator_that_is_killed_in_a_run_leaves_nothing(appliance: Appliance) -> None:
    batch = appliance.submit(EXPERIMENT, testbed="compose", repetitions=1)
    before = appliance.containers()["emulator"]["RestartCount"]
    appliance.signal_engine("emulator", "KILL", once=A_RUN_HAS_IT)
    appliance.until(lambda: appliance.containers()["emulator"]["RestartCount"] == before + 1, "the emulator again")
    runs = appliance.until_ended(batch)
    # It was made again. How well is another matter: a machine that was late says so in the certificate.
    assert {run["state"] for run in runs} <= {"done", "invalid"}, [(run["state"], run["reason"]) for run in runs]
    assert max(max(run["attempt"], run["result"]["attempts"]) for run in live(runs)) > 1
    assert appliance.get("testbeds?refresh=true")["leftovers"] == []
    assert appliance.get("emulator")["state"] == "standing"
    for host in ("server", "client"):
        addresses = appliance.execute(host, "ip", "-4", "-oneline", "address", "show", "scope", "global").stdout
        assert len(addresses.splitlines()) == 1, addresses


def test_no_killed_service_fails_a_queued_run_or_takes_the_link_away(
    appliance: Appliance, capsys: pytest.CaptureFixture[str]
) -> None:
    assert appliance.ask("PUT", "emulator/link", {"name": "umts-3g", "seed": "11"}) == (200, ANY)
    batches: list[int] = []
    gone_s: list[float] = []
    for service in KILLED * KILLS:
        keep_a_queue(appliance, batches)
        killed_s = kill(appliance, service)
        if service == "emulator":
            link = appliance.get("emulator")
            assert (link["link"]["name"], link["seed"], link["restored"]) == ("umts-3g", "11", True), link
            gone_s.append(stood_again_s(link) - killed_s)
    ended = [appliance.until_ended(batch) for batch in batches]
    with capsys.disabled():
        after_s = ", ".join(f"{one:.2f}" for one in gone_s)
        print(f"\n{len(KILLED) * KILLS} kills, {sum(map(len, ended))} runs; the link stood again after {after_s} s")  # noqa: T201
    for runs in ended:
        assert {run["state"] for run in runs} <= {"done", "invalid"}, [(run["state"], run["reason"]) for run in runs]
        assert len(live(runs)) == 6
    # By the emulator's own clock, which is its host's: how long the test took to ask is not in it.
    assert max(gone_s) <= LINK_AGAIN_S, gone_s


def keep_a_queue(appliance: Appliance, batches: list[int]) -> None:
    """Wait until a live run is under way and another waits; queue more when none does."""

    def there() -> bool:
        states = Counter(run["state"] for batch in batches[-2:] for run in live(runs_of(appliance, batch)))
        if not states["queued"]:
            batches.append(appliance.submit(EXPERIMENT, testbed="compose", repetitions=2, seed=str(len(batches) + 1)))
        return states["running"] > 0 and states["queued"] > 0

    appliance.until(there, "a live run under way")


def kill(appliance: Appliance, service: str) -> float:
    """Kill a service's processes, and wait until Docker has started it again and all is well.

    Returns when it was killed, in seconds since 1970.
    """
    before = appliance.containers()[service]["RestartCount"]
    # All but the first, which ends when its child has.
    killed = appliance.execute(service, "bash", "-c", "date +%s.%N; kill -9 -1", check=False)
    appliance.until(lambda: appliance.containers()[service]["RestartCount"] > before, f"{service} again")
    appliance.until(lambda: appliance.health(service) == "healthy", f"the health of {service}")
    appliance.until(appliance.serves, "the API")
    return float(killed.stdout.split()[0])


def stood_again_s(link: Any) -> float:
    """When the emulator began with the link that it shows, in seconds since 1970."""
    return datetime.fromisoformat(link["started"]).timestamp()


def runs_of(appliance: Appliance, batch: int) -> list[Any]:
    """The runs of a batch as they are."""
    items: list[Any] = appliance.get(f"runs?batch={batch}")["items"]
    return items


def test_a_host_whose_process_is_stopped_is_noticed(appliance: Appliance) -> None:
    appliance.signal_engine("client", "STOP")
    try:
        appliance.until(lambda: appliance.health("client") == "unhealthy", "the client's health")
        testbeds = {one["name"]: one for one in appliance.get("testbeds?refresh=true")["testbeds"]}
        assert not testbeds["compose"]["works"]
        assert "client" in testbeds["compose"]["why"]
    finally:
        appliance.signal_engine("client", "CONT")
    appliance.until(lambda: appliance.health("client") == "healthy", "the client's health")


def test_what_was_done_is_there_after_down_and_up(appliance: Appliance, runs: list[Any]) -> None:
    token = appliance.token()
    appliance.compose("down", "--timeout", "40")
    assert appliance.containers_are_gone()
    appliance.up()
    assert appliance.token() == token
    again = [appliance.get(f"runs/{run['id']}") for run in runs]
    assert [(run["state"], run["result"]["metrics"]) for run in again] == [
        (run["state"], run["result"]["metrics"]) for run in runs
    ]
    status, capture = appliance.ask("GET", f"runs/{live(runs)[0]['id']}/captures/server")
    assert status == 200
    assert capture
    found = appliance.prometheus
    found.since_s -= 3600
    assert found.series(f'max_over_time(windlull_batch_active{{batch="{runs[0]["batch"]}"}}[1h])')


def test_workers_of_a_cluster_make_the_runs(appliance: Appliance) -> None:
    with appliance.scaled(2):
        # Two that simulate, and the one beside server, emulator and client.
        takes = {(("sim",), "workers"): 2, (("compose", "sim"), "workers"): 1}

        def workers() -> list[Any]:
            return [one for one in appliance.get("queue")["workers"] if not one["refused"]]

        appliance.until(lambda: len(workers()) == sum(takes.values()), "workers")
        assert Counter((tuple(one["testbeds"]), one["host"]) for one in workers()) == takes, workers()
        runs = appliance.until_valid(appliance.submit(EXPERIMENT, testbed="compose"))
        assert {(run["testbed"], run["state"]) for run in runs} == {("compose", "done"), ("sim", "done")}


# --- strangers' images ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def strangers(appliance: Appliance) -> Appliance:
    """Nginx in the server's place and curl in the client's, which know nothing of us and can do nothing."""
    appliance.compose(*OWN, "build", "server", "client")
    appliance.up("server", "client", "server-beside", "client-beside", "emulator", files=OWN)
    return appliance


def fetched(appliance: Appliance, *options: str) -> Any:
    """Fetch a page from nginx with curl; return what curl says of it."""
    asked = ("curl", "--silent", "--show-error", "--output", "/dev/null", "--max-time", "300", "--write-out", "%{json}")
    done = appliance.execute("client", *asked, *options, f"http://{SERVER}:8080/100k", check=False)
    return json.loads(done.stdout)


def test_strangers_speak_through_the_link(strangers: Appliance) -> None:
    assert strangers.ask("PUT", "emulator/link", {"name": "gprs"}) == (200, ANY)
    page = fetched(strangers)
    assert (page["http_code"], page["size_download"]) == (200, 100_000)
    # Half a second each way, to connect and for the first octet; 100 kB at 40.2 kbit/s.
    assert page["time_connect"] >= 1.0
    assert page["time_total"] >= 8 * 100_000 / 40_200
    assert strangers.get("emulator")["down"]["octets"] > 100_000


def commanded(appliance: Appliance, name: str, client: list[str]) -> list[Any]:
    """Run a command in the client's container against the server's, on a link, twice; return the runs."""
    toml = f"""title = "Curl by command"
links = ["near-by-command"]
variants = ["linux"]
repetitions = 2
time_limit = "60 s"
workload = {{ kind = "command", client = {json.dumps(client)}, port = 8080 }}
"""
    appliance.ask("POST", "links", {"name": "near-by-command", "toml": NEAR})
    assert appliance.ask("POST", "experiments", {"name": name, "toml": toml})[0] == 201
    # What an earlier connection sends again, as its end was lost with the link before, would be in the captures.
    appliance.until(lambda: no_connection_is_open(appliance), "the end of earlier connections")
    return appliance.until_valid(appliance.submit(name, testbed="compose"))


def no_connection_is_open(appliance: Appliance) -> bool:
    """Whether neither host has a TCP socket that may still send: only those that listen, or wait after their end."""
    tables = (appliance.execute(host, "cat", "/proc/net/tcp").stdout.splitlines()[1:] for host in ("server", "client"))
    return {row.split()[3] for table in tables for row in table} <= {"0A", "06"}


def test_commands_of_own_containers_are_runs(strangers: Appliance, tmp_path: Path) -> None:
    # Two connections at once, and a packet of no connection.
    fetch = "curl -sS -o /dev/null http://$WINDLULL_SERVER:8080/100k & curl -sS -o /dev/null http://{server}:8080/100k"
    ask = "echo hello >/dev/udp/{server}/9"
    runs = commanded(strangers, "by-command", ["bash", "-c", f"{fetch}; wait; {ask}; echo $WINDLULL_LINK"])
    assert [(run["testbed"], run["state"]) for run in runs] == [("compose", "done")] * 2
    for run in runs:
        metrics = run["result"]["metrics"]
        # 200 kB at 10 Mbit/s.
        assert metrics["exit_code"] == 0
        assert metrics["elapsed_s"] > 0.16
        assert metrics["packets_down"] > 2 * 100_000 / 1460
        analysis = strangers.get(f"runs/{run['id']}/analysis")
        assert analysis["commands"]["client"]["output"] == "near-by-command\n"
        assert analysis["connection"]["data_sender"] == f"{SERVER}:8080"
        for end in ("server", "client"):
            file = strangers.download(f"runs/{run['id']}/captures/{end}", tmp_path / f"{run['id']}-{end}.pcapng")
            assert faults(file) == "", end
            fields = ["-e", "tcp.stream", "-e", "udp.dstport"]
            rows = said(["tshark", "-n", "-r", str(file), "-T", "fields", *fields]).splitlines()
            streams, ports = zip(*(row.split("\t") for row in rows), strict=True)
            assert set(streams) >= {"0", "1"}, end
            assert "9" in ports, end
        file = strangers.download(f"runs/{run['id']}/captures/emulator", tmp_path / f"{run['id']}-emulator.pcapng")
        assert faults(file) == ""
        at_devices = passed_devices(file)
        fates = strangers.ask("GET", f"runs/{run['id']}/fates")[1].decode()
        for direction, entered, left in (("down", 0, 1), ("up", 1, 0)):
            rows = [row for row in fates.splitlines() if row.split(",")[1] == direction]
            assert at_devices[entered, "in"] == len(rows), direction
            assert at_devices[left, "out"] == sum(",delivered," in row for row in rows), direction


def test_commands_over_ipv6_have_addresses_beside_the_containers_own(strangers: Appliance, tmp_path: Path) -> None:
    # Nobody listens there, which its kernel says.
    toml = f"""title = "Datagrams over IPv6"
network = "ipv6"
links = ["near-by-command"]
variants = ["linux"]
time_limit = "60 s"
workload = {{ kind = "command", client = {json.dumps(["bash", "-c", "echo hello >/dev/udp/{server}/9"])} }}
"""
    strangers.ask("POST", "links", {"name": "near-by-command", "toml": NEAR})
    assert strangers.ask("POST", "experiments", {"name": "datagrams-over-ipv6", "toml": toml})[0] == 201
    runs = strangers.until_valid(strangers.submit("datagrams-over-ipv6", testbed="compose"))
    assert [run["state"] for run in runs] == ["done"]
    run = runs[0]["id"]
    rows = strangers.ask("GET", f"runs/{run}/fates")[1].decode().splitlines()
    assert [row.split(",")[1:3] for row in rows if ",up," in row] == [["up", str(40 + 8 + len("hello\n"))]]
    assert sum(",down," in row for row in rows) == 1
    file = strangers.download(f"runs/{run}/captures/server", tmp_path / f"{run}-server.pcapng")
    assert "9" in said(["tshark", "-n", "-r", str(file), "-T", "fields", "-e", "udp.dstport"]).split()
    # What they had is theirs again.
    assert fetched(strangers)["http_code"] == 200


BETWEEN = f"ip.addr == {SERVER} && ip.addr == 198.18.2.10"


def passed_devices(capture: Path) -> Counter[tuple[int, str]]:
    """Count the packets between both hosts in a capture at the emulator, by interface (0: to the server) and way."""
    ways = {"1": "in", "2": "out"}
    fields = ["-e", "frame.interface_id", "-e", "frame.packet_flags_direction"]
    rows = said(["tshark", "-n", "-r", str(capture), "-Y", BETWEEN, "-T", "fields", *fields]).splitlines()
    pairs = (row.split("\t") for row in rows)
    return Counter((int(interface), ways[str(int(way, 0))]) for interface, way in pairs)


EMPTY = """FROM scratch
COPY windlull-engine /windlull-engine
ENTRYPOINT ["/windlull-engine"]
"""


def test_the_engine_starts_in_an_empty_image(appliance: Appliance, tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text(EMPTY, encoding="utf-8")
    engine = tmp_path / "windlull-engine"
    appliance.compose("cp", "emulator:/usr/local/bin/windlull-engine", str(engine))
    image = "windlull-test-empty"
    appliance.docker("build", "--quiet", "--tag", image, str(tmp_path))
    try:
        if os.environ.get("PARTS") == "ready":
            # This machine's own engine, which needs this machine's C library.
            assert appliance.docker("run", "--rm", "--network=none", image, "version", check=False).returncode != 0
            return
        version = json.loads(appliance.docker("run", "--rm", "--network=none", image, "version").stdout)
        assert version["commit"] in appliance.execute("emulator", "windlull-engine", "version").stdout
        # It gets as far as the program that it is to start, which an empty image has not.
        asked = ("run", "--rm", "--network=none", "--tmpfs=/run", image, "perform", "--socket=/run/commands.sock")
        failed = appliance.docker(*asked, "--", "/no-such-program", check=False)
        assert failed.returncode != 0
        assert "/no-such-program: No such file" in failed.stderr
    finally:
        appliance.docker("image", "rm", "--force", image)


def test_commands_are_set_up_and_shown_in_the_page(strangers: Appliance) -> None:
    in_the_browser(strangers, "runs commands of own containers, and shows what came of them")


def test_a_command_that_fails_says_how(strangers: Appliance) -> None:
    runs = commanded(strangers, "by-failing-command", ["curl", "-sS", "http://{server}:81/"])
    for run in runs:
        assert run["result"]["metrics"]["exit_code"] == 7, "curl: failed to connect"
        assert run["state"] == "failed"
        assert "the command ended with exit code 7" in run["reason"]


def test_a_hand_holds_the_link_and_lets_go(strangers: Appliance) -> None:
    assert strangers.ask("PUT", "emulator/link", {"profile": NEAR}) == (200, ANY)
    assert strangers.reaches("client", SERVER, 8080)
    assert strangers.ask("POST", "emulator/changes", {"kind": "hold", "direction": "down"}) == (201, ANY)
    assert not strangers.reaches("client", SERVER, 8080, within_s=3)
    assert strangers.ask("DELETE", "emulator/changes")[0] in {200, 204}
    assert strangers.reaches("client", SERVER, 8080)


def test_there_is_no_way_but_through_the_emulator(strangers: Appliance) -> None:
    assert strangers.ask("PUT", "emulator/link", {"profile": NEAR}) == (200, ANY)
    assert strangers.reaches("client", SERVER, 8080)
    routes = strangers.execute("client", "cat", "/proc/net/route").stdout.splitlines()[1:]
    gateways = {line.split()[2] for line in routes} - {"00000000"}
    assert gateways == {"FE0212C6"}, routes  # 198.18.2.254, as the kernel writes it
    emulator = strangers.containers()["emulator"]["NetworkSettings"]["Networks"]["windlull-test_client-side"][
        "MacAddress"
    ]
    strangers.compose("stop", "emulator")
    try:
        assert not strangers.reaches("client", SERVER, 8080, within_s=3)
        # Nobody else answers for the router, and nobody at all for the server.
        neighbours = strangers.execute("client", "cat", "/proc/net/arp").stdout.splitlines()[1:]
        answered = {line.split()[0]: line.split()[3] for line in neighbours}
        assert answered.get(ROUTER, NOBODY) in {emulator, NOBODY}, neighbours
        assert answered.get(SERVER, NOBODY) == NOBODY, neighbours
    finally:
        strangers.up("emulator")
    strangers.until(lambda: strangers.reaches("client", SERVER, 8080), "the way through the emulator")


def test_neither_side_reaches_the_control_network(strangers: Appliance) -> None:
    containers = strangers.containers()
    ports = {"controller": 8642, "postgres": 5432, "prometheus": 9090}
    on_control = {
        service: containers[service]["NetworkSettings"]["Networks"][CONTROL]["IPAddress"]
        for service in (*ports, "emulator")
    }
    (network,) = json.loads(strangers.docker("network", "inspect", CONTROL).stdout)
    host = network["IPAM"]["Config"][0]["Gateway"]
    forbidden = {f"{address}/{port}" for service, port in ports.items() for address in (on_control[service], host)}
    for side in ("client", "server"):
        # It would say so: to nginx there is a way from either.
        assert strangers.reached(side, {*forbidden, f"{SERVER}/8080"}) == {f"{SERVER}/8080"}, side
    # The emulator is a neighbour; what it serves on the control network it refuses to its sides.
    for address in (ROUTER, on_control["emulator"]):
        asked = ("curl", "--silent", "--output", "/dev/null", "--max-time", "5", "--write-out", "%{http_code}")
        answered = strangers.execute("client", *asked, f"http://{address}:7411/link", check=False).stdout
        assert answered in {"000", "403"}, (address, answered)


# --- what the dashboards make of it -----------------------------------------------------------------------------------


@pytest.mark.parametrize("query", all_queries(), ids=lambda query: query.where)
def test_every_query_of_the_dashboards_has_data(appliance: Appliance, runs: list[Any], query: Any) -> None:
    assert live(runs)
    found = appliance.prometheus
    found.since_s -= 600
    assert query.says_nothing or appliance.until(lambda: found.series(query.expression), query.expression)
