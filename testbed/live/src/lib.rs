//! Real time: hosts, link and captures in network namespaces.
