//! A lab on the machine's own kernel. Needs user namespaces, or root.

use std::fs;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};

use libtest_mimic::{Arguments, Failed, Trial};
use windlull_netns::{Lab, LabSpec, Node, RouterKind, address, address_in, enter, offloads_off};
use windlull_units::{Host, Network};

fn main() {
    let arguments = Arguments::from_args();
    // Before libtest_mimic starts its threads. If there is none to be had, every lab says why.
    drop(enter());
    let trials = vec![
        trial("two_kernels_talk_through_a_forwarding_router", || {
            two_kernels_talk(Network::Ipv4)
        }),
        trial("two_kernels_talk_over_ipv6", || two_kernels_talk(Network::Ipv6)),
        trial("over_ipv6_nobody_speaks_unasked", over_ipv6_nobody_speaks_unasked),
        trial("a_mute_router_carries_nothing", a_mute_router_carries_nothing),
        trial("no_offload_is_on", no_offload_is_on),
        trial("a_mute_host_has_no_address", a_mute_host_has_no_address),
        trial(
            "a_setting_that_is_not_there_is_named",
            a_setting_that_is_not_there_is_named,
        ),
    ];
    libtest_mimic::run(&arguments, trials).exit();
}

fn trial(name: &str, test: impl FnOnce() -> Result<(), Failed> + Send + 'static) -> Trial {
    Trial::test(name, test)
}

fn lab(router: RouterKind) -> Result<Lab, Failed> {
    lab_over(Network::Ipv4, router)
}

fn lab_over(network: Network, router: RouterKind) -> Result<Lab, Failed> {
    Ok(Lab::build(&LabSpec {
        kernel_answers: [true, true],
        network,
        router,
    })?)
}

fn two_kernels_talk(network: Network) -> Result<(), Failed> {
    let lab = lab_over(network, RouterKind::Forwarding)?;
    let server = address_in(network, Host::Server);
    let listener = lab.namespace(Node::Server).run(|| TcpListener::bind((server, 7)))??;
    let echo = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept()?;
        let mut octets = [0; 5];
        stream.read_exact(&mut octets)?;
        stream.write_all(&octets)
    });
    let mut stream = lab.namespace(Node::Client).run(|| TcpStream::connect((server, 7)))??;
    assert_eq!(stream.peer_addr()?.ip(), server);
    stream.write_all(b"hello")?;
    let mut answer = [0; 5];
    stream.read_exact(&mut answer)?;
    assert_eq!(&answer, b"hello");
    echo.join().expect("the echo does not panic")?;
    Ok(())
}

/// Neither of its neighbours nor of its groups: what a host has sent is what a program asked for.
fn over_ipv6_nobody_speaks_unasked() -> Result<(), Failed> {
    let [own, peer] = [Host::Client, Host::Server].map(|host| address_in(Network::Ipv6, host));
    for router in [RouterKind::Userspace, RouterKind::Forwarding] {
        let lab = lab_over(Network::Ipv6, router)?;
        let sent = lab
            .namespace(Node::Client)
            .run(|| UdpSocket::bind((own, 0))?.send_to(b"hello", (peer, 7)))??;
        assert_eq!(sent, 5);
        let packets = |place, device: &str| lab.namespace(place).run(|| counter(device));
        assert_eq!(packets(Node::Client, "client0")??.1, 1, "{router:?}");
        // A kernel that gets a datagram for a port where nobody is says so (RFC 4443, section 3.1).
        let answers = u64::from(router == RouterKind::Forwarding);
        assert!(packets(Node::Server, "server0")??.1 <= answers, "{router:?}");
    }
    // Who is mute has no IPv6 at all.
    let lab = Lab::build(&LabSpec {
        kernel_answers: [false, true],
        network: Network::Ipv6,
        router: RouterKind::Userspace,
    })?;
    let disabled = |place| lab.namespace(place).sysctl("net.ipv6.conf.default.disable_ipv6");
    assert_eq!(
        (disabled(Node::Server)?.as_str(), disabled(Node::Client)?.as_str()),
        ("1", "0")
    );
    Ok(())
}

fn a_mute_router_carries_nothing() -> Result<(), Failed> {
    let lab = lab(RouterKind::Userspace)?;
    let sent = lab
        .namespace(Node::Client)
        .run(|| UdpSocket::bind((address(Host::Client), 0))?.send_to(b"hello", (address(Host::Server), 7)))??;
    assert_eq!(sent, 5);
    let counted = |place, name: &str| lab.namespace(place).run(|| counter(name));
    assert_eq!(counted(Node::Router, "to-client")??, (1, 0));
    assert_eq!(counted(Node::Server, "server0")??, (0, 0));
    Ok(())
}

fn no_offload_is_on() -> Result<(), Failed> {
    let lab = lab(RouterKind::Userspace)?;
    for (place, device) in [
        (Node::Server, "server0"),
        (Node::Router, "to-server"),
        (Node::Router, "to-client"),
        (Node::Client, "client0"),
    ] {
        lab.namespace(place).run(|| offloads_off(device))??;
    }
    // A device as the kernel makes it has some.
    let client = lab.namespace(Node::Client);
    client.command("ip", &["link", "add", "plain", "type", "veth", "peer", "name", "other"])?;
    let error = client.run(|| offloads_off("plain"))?.expect_err("they are on");
    assert!(error.to_string().contains("tx-tcp-segmentation"), "{error}");
    Ok(())
}

fn a_mute_host_has_no_address() -> Result<(), Failed> {
    let lab = Lab::build(&LabSpec {
        kernel_answers: [false, true],
        network: Network::Ipv4,
        router: RouterKind::Userspace,
    })?;
    let addresses = |place| lab.namespace(place).command("ip", &["-4", "address", "show", "up"]);
    assert!(!addresses(Node::Server)?.contains("198.18"));
    assert!(addresses(Node::Client)?.contains("198.18.0.2/32"));
    Ok(())
}

fn a_setting_that_is_not_there_is_named() -> Result<(), Failed> {
    let lab = lab(RouterKind::Userspace)?;
    let server = lab.namespace(Node::Server);
    server.set_sysctl("net.ipv4.tcp_frto", "0")?;
    assert_eq!(server.sysctl("net.ipv4.tcp_frto")?, "0");
    let error = server.sysctl("net.ipv4.tcp_nonesuch").expect_err("there is none");
    assert_eq!(error.to_string(), "this kernel has no sysctl net.ipv4.tcp_nonesuch");
    Ok(())
}

/// Packets that a device of the calling thread's namespace has received and sent.
fn counter(device: &str) -> io::Result<(u64, u64)> {
    let all = fs::read_to_string("/proc/thread-self/net/dev")?;
    let line = all
        .lines()
        .find_map(|line| line.trim_start().strip_prefix(device)?.strip_prefix(':'));
    let fields: Vec<u64> = line
        .ok_or(io::ErrorKind::NotFound)?
        .split_whitespace()
        .filter_map(|field| field.parse().ok())
        .collect();
    Ok((fields[1], fields[9]))
}
