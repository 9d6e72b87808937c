# A transfer of 5,000 packets through delay spikes: the rows of gurtov2003's tables 1 and 2 without Eifel.
#
#   ns spikes.tcl [CROSS_BPS ACCESS_S FIRST_S SEED]             ns spikes.tcl 1000000 0 2 1
#
# CROSS_BPS is the competing flow's rate, 0 for none; ACCESS_S the delay of a link at either end of the bottleneck, FIRST_S
# when the first spike comes. Prints the time, the packets sent and the timeouts. Eifel is not in ns-2.

proc argument {at default} { global argv; expr {$at < [llength $argv] ? [lindex $argv $at] : $default} }
set cross  [argument 0 0]
set access [argument 1 0]
set first  [argument 2 2]
set seed   [argument 3 1]
set total 5000

ns-random $seed
set ns [new Simulator]
Agent/TCP set packetSize_ 1000
Agent/TCP set window_ 150               ;# "150000 bytes"
Agent/TCP set windowInit_ 2
Agent/TCP set timestamps_ true
Agent/TCP set tcpTick_ 0.01
Agent/TCP set minrto_ 1.0               ;# footnote 6
Agent/TCP set singledup_ 1              ;# limited transmit, section III.A
Agent/TCPSink/Sack1/DelAck set interval_ 100ms

set names {server left right client}
foreach name $names { set $name [$ns node] }
$ns duplex-link $server $left 100Mb ${access}s DropTail
$ns duplex-link $left $right 2Mb 150ms DropTail
$ns duplex-link $right $client 100Mb ${access}s DropTail
$ns queue-limit $left $right 75

set tcp [new Agent/TCP/Sack1]
set sink [new Agent/TCPSink/Sack1/DelAck]
$ns attach-agent $server $tcp
$ns attach-agent $client $sink
$ns connect $tcp $sink

if {$cross > 0} {
    set udp [new Agent/UDP]
    set null [new Agent/Null]
    $ns attach-agent $left $udp
    $ns attach-agent $right $null
    $ns connect $udp $null
    set cbr [new Application/Traffic/CBR]
    $cbr set rate_ $cross
    $cbr attach-agent $udp
    $ns at 0 "$cbr start"
}

# Delayers suspend the bottleneck in both directions; a spike blocks both at once.
foreach {from to} [list $left $right $right $left] {
    set delayer($from) [new Delayer]
    [$ns link $from $to] insert-delayer $delayer($from)
}
set length [new RandomVariable/Uniform]
$length set min_ 3.0
$length set max_ 15.0
set interval [new RandomVariable/Uniform]
$interval set min_ 20.0
$interval set max_ 40.0
proc spike {} {
    global ns delayer length interval
    foreach one [array names delayer] { $delayer($one) block }
    $ns at [expr {[$ns now] + [$length value]}] unblock
    $ns at [expr {[$ns now] + [$interval value]}] spike
}
proc unblock {} {
    global delayer
    foreach one [array names delayer] { $delayer($one) unblock }
}
proc watch {} {
    global ns tcp total
    if {[$tcp set ack_] >= $total} {
        puts [format "%.1f s, %d packets, %d timeouts" \
            [$ns now] [$tcp set ndatapack_] [$tcp set nrexmit_]]
        exit 0
    }
    $ns at [expr {[$ns now] + 0.01}] watch
}
$ns at 0 "$tcp advanceby $total"
$ns at $first spike
$ns at 0 watch
$ns run
