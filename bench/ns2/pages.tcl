# Web pages over topology 1 of psaras2007: table 2, and figure 7 where nothing is lost.
#
#   ns pages.tcl MINIMUM_S [FLOWS PAGES ERROR_RATE SEED]        ns pages.tcl 0.2 1 8 0 1
#
# Prints for each flow the mean completion time of its pages, and which packets were sent more than once; number 0 is the SYN.
# ns-2's own senders, without AdMINRTO and without a response to spurious timeouts.

proc argument {at default} { global argv; expr {$at < [llength $argv] ? [lindex $argv $at] : $default} }
set minimum [argument 0 0.2]
set flows   [argument 1 1]
set pages   [argument 2 8]
set errors  [argument 3 0]
set seed    [argument 4 1]

set packets_of_a_page 100
set seconds_between_pages 5.0

ns-random $seed
set ns [new Simulator]
Agent/TCP set timestamps_ true          ;# section 4
Agent/TCP set tcpTick_ 0.01             ;# section 4
Agent/TCP set minrto_ $minimum
Agent/TCP set packetSize_ 1000
Agent/TCP set window_ 65                ;# 65,535 octets
Agent/TCP set windowInit_ 2
Agent/TCP set singledup_ 0              ;# no limited transmit
Agent/TCPSink/Sack1/DelAck set interval_ 200ms ;# section 4: delayed acknowledgements

set server [$ns node]
set router [$ns node]
$ns duplex-link $server $router 10Mb 20ms RED
$ns queue-limit $server $router 49
foreach {name value} {thresh_ 12 maxthresh_ 36} { [[$ns link $server $router] queue] set $name $value }

for {set flow 0} {$flow < $flows} {incr flow} {
    set user($flow) [$ns node]
    $ns duplex-link $router $user($flow) 5Mb 1ms RED
    $ns queue-limit $router $user($flow) 24
    foreach {name value} {thresh_ 6 maxthresh_ 18} { [[$ns link $router $user($flow)] queue] set $name $value }
    if {$errors > 0} {
        set model [new ErrorModel]
        $model unit pkt
        $model set rate_ $errors
        $model ranvar [new RandomVariable/Uniform]
        $model drop-target [new Agent/Null]
        $ns lossmodel $model $router $user($flow)
    }
    set tcp($flow) [new Agent/TCP/Sack1]
    set sink($flow) [new Agent/TCPSink/Sack1/DelAck]
    $tcp($flow) set fid_ $flow
    $ns attach-agent $server $tcp($flow)
    $ns attach-agent $user($flow) $sink($flow)
    $ns connect $tcp($flow) $sink($flow)
    set done($flow) {}
}

# Every packet that leaves the server is a line of the trace.
set name [file join [pwd] pages-[pid].tr]
set out [open $name w]
$ns trace-queue $server $router $out

proc ask {flow page} {
    global ns tcp asked packets_of_a_page
    set asked($flow,$page) [$ns now]
    $tcp($flow) advanceby $packets_of_a_page
}
proc watch {flow page} {
    # A page is complete when its last packet is acknowledged.
    global ns tcp asked done packets_of_a_page pages
    if {[$tcp($flow) set ack_] >= ($page + 1) * $packets_of_a_page} {
        lappend done($flow) [expr {[$ns now] - $asked($flow,$page)}]
    } else {
        $ns at [expr {[$ns now] + 0.001}] "watch $flow $page"
    }
}
for {set flow 0} {$flow < $flows} {incr flow} {
    for {set page 0} {$page < $pages} {incr page} {
        set at [expr {1 + $page * $seconds_between_pages}]
        $ns at $at "ask $flow $page"
        $ns at $at "watch $flow $page"
    }
}
$ns at [expr {61 + $pages * $seconds_between_pages}] finish

proc finish {} {
    global ns out name flows done
    $ns flush-trace
    close $out
    set in [open $name]
    while {[gets $in line] >= 0} {
        set fields [split $line]
        if {[lindex $fields 0] ne "+" || [lindex $fields 4] ne "tcp"} continue
        set key [lindex $fields 7],[lindex $fields 10]
        lappend times($key) [lindex $fields 1]
    }
    close $in
    file delete $name
    for {set flow 0} {$flow < $flows} {incr flow} {
        set sum 0
        foreach one $done($flow) { set sum [expr {$sum + $one}] }
        set again {}
        foreach key [array names times $flow,*] {
            if {[llength $times($key)] > 1} {
                lappend again [lindex [split $key ,] 1]
            }
        }
        puts [format "flow %d: %.3f s a page; sent more than once: %s" \
            [expr {$flow + 1}] [expr {$sum / [llength $done($flow)]}] [lsort -integer $again]]
    }
    exit 0
}
$ns run
