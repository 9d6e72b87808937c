//! The schedule as a shell script for a router of one's own.

use std::fmt::Write as _;

use super::step::quoted;
use super::{Devices, Heading, Schedule, Step};

/// The devices as the script calls them: [`script`] takes a schedule that was compiled for these.
impl Devices {
    /// Shell variables, set at the top of the script.
    pub fn variables() -> Self {
        Self {
            to_server: "$TO_SERVER".to_owned(),
            to_client: "$TO_CLIENT".to_owned(),
        }
    }
}

/// A script that a person can read, run and undo: `up` makes the link and plays its timeline, `down` removes it.
/// The commands are those of the plane.
pub fn script(schedule: &Schedule, heading: &Heading) -> String {
    let mut text = String::from("#!/bin/sh\n");
    let Heading {
        profile,
        made_by,
        seed,
        horizon,
    } = heading;
    let profile = profile.replace(char::is_control, " ");
    let _ = write!(
        text,
        "# The link \"{profile}\", for a router between a server and a client.\n\
         # Made by {made_by}; seed {seed}, timeline for {horizon}.\n\
         #\n\
         #   sudo TO_SERVER=eth0 TO_CLIENT=eth1 sh THIS up     makes the link and plays its timeline, until the end or an interrupt\n\
         #   sudo TO_SERVER=eth0 TO_CLIENT=eth1 sh THIS down   removes it\n\
         #\n\
         # The router forwards IPv4 (net.ipv4.ip_forward = 1). Offloads that merge packets are off on both devices\n\
         # (ethtool -K DEVICE gro off gso off tso off), else one loss takes many packets. Linux with netem, plug, htb, ifb and\n\
         # nftables; iproute2, nft, and date and sleep of GNU coreutils.\n"
    );
    if !schedule.approximations.is_empty() {
        text += "#\n# Approximated, as tc and nft have no equal:\n";
        for approximation in &schedule.approximations {
            let _ = writeln!(text, "# - {}", approximation.to_string().replace(char::is_control, " "));
        }
    }
    if !schedule.notes.is_empty() {
        text += "#\n# Where this link differs from the model:\n";
        for note in &schedule.notes {
            let _ = writeln!(text, "# - {note}");
        }
    }
    text += "\nset -eu\n\n# The router's devices, towards the server and towards the client.\n\
             : \"${TO_SERVER:?set it to the device towards the server}\" \"${TO_CLIENT:?set it to the device towards the client}\"\n\n";
    text += TOOLS;
    text += "\nset_up() {\n";
    tables(&mut text, schedule);
    for step in &schedule.setup {
        text += &line(step);
    }
    text += "}\n\n# When, in nanoseconds from the start, and what.\nplay() {\n    start=$(date +%s%N)\n";
    for (at, step) in &schedule.timeline {
        let _ = write!(text, "    at {:<14} {}", at.as_ns(), line(step).trim_start());
    }
    if schedule.timeline.is_empty() {
        text += "    : \"$start\" # Nothing changes.\n";
    }
    text += "}\n\n# Removes what is there, and passes over what is not.\ntear_down() {\n";
    for step in &schedule.teardown {
        let line = line(step);
        let line = line.trim();
        let guard = match line
            .strip_prefix("tc qdisc del dev ")
            .and_then(|rest| rest.strip_suffix(" root"))
        {
            Some(device) => format!("! ours {device} || "),
            None => String::new(),
        };
        let _ = writeln!(text, "    {guard}{line} 2>/dev/null || :");
    }
    text += "}\n\n";
    text += MAIN;
    text
}

const TOOLS: &str = "\
# Waits until so many nanoseconds from the start, then does the rest of the line.
at() {
    left=$((start + $1 - $(date +%s%N)))
    shift
    if [ \"$left\" -gt 0 ]; then
        sleep \"$((left / 1000000000)).$(printf %09d $((left % 1000000000)))\"
    fi
    \"$@\"
}

# The directory of the delay distributions, if there are any.
tables=
forget() {
    if [ -n \"$tables\" ]; then
        rm -r \"$tables\"
    fi
}

# Ends the script if a device has a queueing discipline that somebody gave it: it would be lost. The kernel's own has no handle.
untouched() {
    if ! there=$(tc qdisc show dev \"$1\" root); then
        exit 1
    fi
    case $there in
    '' | *' 0: root '*) ;;
    *)
        echo \"$1 has a queueing discipline: $there\" >&2
        echo \"If an earlier link left it, remove it first: $0 down\" >&2
        exit 1
        ;;
    esac
}

# Whether a device's queueing discipline is the link's.
ours() {
    tc qdisc show dev \"$1\" root 2>/dev/null | grep -q -e ' 20: root' -e ' 30: root'
}

# Sets what this kernel has.
setting() {
    if [ -e \"/proc/sys/$1\" ]; then
        echo \"$2\" >\"/proc/sys/$1\"
    fi
}

# netem's random numbers can be seeded from Linux 6.6 and iproute2 6.6 on.
if tc qdisc add dev lo root netem help 2>&1 | grep -q seed &&
    printf '6.6\\n%s\\n' \"$(uname -r)\" | sort -V -C; then
    SEEDS=yes
else
    SEEDS=no
fi

# netem with a seed, where there are seeds: the last two arguments.
seeded() {
    if [ $SEEDS = yes ]; then
        \"$@\"
    else
        count=$(($# - 2))
        while [ $count -gt 0 ]; do
            set -- \"$@\" \"$1\"
            shift
            count=$((count - 1))
        done
        shift 2
        \"$@\"
    fi
}
";

const MAIN: &str = "\
case ${1:-} in
up)
    for device in \"$TO_SERVER\" \"$TO_CLIENT\"; do
        untouched \"$device\"
    done
    trap 'tear_down; forget' EXIT
    trap 'exit 130' INT TERM HUP
    set_up
    echo \"The link is up.\"
    play
    trap forget EXIT
    echo \"The timeline is over; the link stays until: $0 down\"
    ;;
down)
    tear_down
    ;;
*)
    echo \"usage: $0 up|down\" >&2
    exit 2
    ;;
esac
";

fn tables(text: &mut String, schedule: &Schedule) {
    if schedule.tables.is_empty() {
        return;
    }
    *text += "    # Delay distributions: tc reads them when netem is set up.\n";
    *text += "    tables=$(mktemp -d)\n    export TC_LIB_DIR=\"$tables\"\n";
    for table in &schedule.tables {
        let _ = write!(
            text,
            "    cat >\"$tables/{}.dist\" <<'NUMBERS'\n{}NUMBERS\n",
            table.name,
            table.text()
        );
    }
}

fn line(step: &Step) -> String {
    match step {
        Step::Nft(rules) if rules.contains('\n') => format!("    nft -f - <<RULES\n{rules}\nRULES\n"),
        Step::Tc {
            arguments,
            seed: Some(seed),
        } => format!("    seeded tc {} seed {seed}\n", quoted(arguments)),
        Step::Sysctl { name, value } => format!("    setting {} {value}\n", name.replace('.', "/")),
        step => format!("    {step}\n"),
    }
}
