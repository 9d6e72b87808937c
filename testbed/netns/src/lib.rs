//! Three network namespaces, joined, and what is owned on the machine.
