// The peer of the benchmark: TCP bulk transfers through a dumbbell, in ns-3.
//
//   server --10 Gbit/s-- router ==rate, delay, queue== router --10 Gbit/s-- client
//
// With --routers=0 the hosts stand at the two ends of the bottleneck itself: fewer events, and so the kinder case for
// ns-3. Nothing is traced but what has to be counted. Prints one JSON object:
//   packets    packets that the two hosts gave to IP, of all runs
//   dropped    of those, what a full queue refused
//   octets     payload that the client's application received, of all runs
//   elapsed_s  virtual time from the first SYN to the last packet that reached the server, of the last run

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace {

struct Settings {
    uint64_t octets = 102400;
    std::string rate = "28800bps";
    std::string delay = "200ms";
    std::string queue = "7p";
    uint32_t mss = 256;
    uint32_t window = 65535;
    bool sack = true;
    uint32_t routers = 2;
    uint32_t runs = 1;
    uint32_t flows = 1;
    uint32_t gap_ms = 0;
    uint32_t seconds = 0;
};

struct Counts {
    uint64_t packets = 0;
    uint64_t dropped = 0;
    uint64_t octets = 0;
    ns3::Time last;
};

Counts counts;

void HostSent(ns3::Ptr<const ns3::Packet>, ns3::Ptr<ns3::Ipv4>, uint32_t) { ++counts.packets; }

void ServerReceived(ns3::Ptr<const ns3::Packet>, ns3::Ptr<ns3::Ipv4>, uint32_t) {
    counts.last = ns3::Simulator::Now();
}

void QueueDropped(ns3::Ptr<const ns3::Packet>) { ++counts.dropped; }

void Configure(const Settings& s) {
    using namespace ns3;
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpNewReno"));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", StringValue("ns3::TcpClassicRecovery"));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(s.sack));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::WindowScaling", BooleanValue(s.window > 65535));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(s.mss));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(3));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(s.window));
    // What waits in the sender's socket counts here too, so that the window and not this buffer is what may bind.
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(2 * s.window));
}

void OneRun(const Settings& s) {
    using namespace ns3;
    NodeContainer nodes;
    nodes.Create(2 + s.routers);
    InternetStackHelper stack;
    stack.Install(nodes);

    const uint32_t links = nodes.GetN() - 1;
    const uint32_t bottleneck = links / 2;
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    Ipv4InterfaceContainer last;
    for (uint32_t i = 0; i < links; ++i) {
        PointToPointHelper link;
        const bool slow = i == bottleneck;
        link.SetDeviceAttribute("DataRate", StringValue(slow ? s.rate : "10Gbps"));
        link.SetChannelAttribute("Delay", StringValue(slow ? s.delay : "0ms"));
        link.SetQueue("ns3::DropTailQueue", "MaxSize", QueueSizeValue(QueueSize(slow ? s.queue : "100000p")));
        NetDeviceContainer devices = link.Install(nodes.Get(i), nodes.Get(i + 1));
        last = addresses.Assign(devices);
        addresses.NewNetwork();
        // The device's drop-tail queue is the queue; no queueing discipline of the host before it.
        TrafficControlHelper none;
        none.Uninstall(devices);
    }
    if (s.routers > 0) {
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    }

    // A full queue stops its device, and the layer above then drops: one packet sooner or later it is the same drop-tail.
    for (uint32_t i = 0; i < nodes.GetN(); ++i) {
        nodes.Get(i)->GetObject<TrafficControlLayer>()->TraceConnectWithoutContext("TcDrop", MakeCallback(&QueueDropped));
    }

    Ptr<Node> server = nodes.Get(0);
    Ptr<Node> client = nodes.Get(nodes.GetN() - 1);
    for (auto host : {server, client}) {
        host->GetObject<Ipv4L3Protocol>()->TraceConnectWithoutContext("Tx", MakeCallback(&HostSent));
    }
    server->GetObject<Ipv4L3Protocol>()->TraceConnectWithoutContext("Rx", MakeCallback(&ServerReceived));

    ApplicationContainer sinks;
    for (uint32_t flow = 0; flow < s.flows; ++flow) {
        const uint16_t port = 9 + flow;
        PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
        sinks.Add(sink.Install(client));
        BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(last.GetAddress(1), port));
        bulk.SetAttribute("MaxBytes", UintegerValue(s.octets));
        bulk.SetAttribute("SendSize", UintegerValue(s.mss));
        bulk.Install(server).Start(MilliSeconds(flow * s.gap_ms));
    }

    if (s.seconds > 0) {
        Simulator::Stop(Seconds(s.seconds));
    }
    Simulator::Run();
    for (uint32_t flow = 0; flow < s.flows; ++flow) {
        counts.octets += DynamicCast<PacketSink>(sinks.Get(flow))->GetTotalRx();
    }
    Simulator::Destroy();
    Names::Clear();
    Ipv4AddressGenerator::Reset();
}

} // namespace

int main(int argc, char* argv[]) {
    Settings s;
    ns3::CommandLine options(__FILE__);
    options.AddValue("octets", "payload of each transfer, 0 without end", s.octets);
    options.AddValue("rate", "rate of the bottleneck", s.rate);
    options.AddValue("delay", "its propagation delay, one way", s.delay);
    options.AddValue("queue", "its drop-tail queue, as in 7p", s.queue);
    options.AddValue("mss", "payload octets of a full segment", s.mss);
    options.AddValue("window", "receive buffer, octets", s.window);
    options.AddValue("sack", "selective acknowledgements", s.sack);
    options.AddValue("routers", "routers between the hosts: 2 or 0", s.routers);
    options.AddValue("runs", "repetitions", s.runs);
    options.AddValue("flows", "transfers at a time", s.flows);
    options.AddValue("gap", "milliseconds from the start of one to that of the next", s.gap_ms);
    options.AddValue("seconds", "virtual time after which a run is over, 0 without limit", s.seconds);
    options.Parse(argc, argv);

    Configure(s);
    for (uint32_t run = 0; run < s.runs; ++run) {
        OneRun(s);
    }
    std::printf("{\"packets\":%llu,\"dropped\":%llu,\"octets\":%llu,\"elapsed_s\":%.6f}\n",
                static_cast<unsigned long long>(counts.packets),
                static_cast<unsigned long long>(counts.dropped),
                static_cast<unsigned long long>(counts.octets),
                counts.last.GetSeconds());
    return 0;
}
