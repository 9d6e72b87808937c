//! One forbidden thing a function. Each line that ends in `// refused` must be refused by lints/core.

pub fn clock() -> std::time::Duration {
    std::time::Instant::now().elapsed() // refused
}

pub fn calendar() -> bool {
    std::time::SystemTime::now().elapsed().is_ok() // refused
}

pub fn wait() {
    std::thread::sleep(std::time::Duration::ZERO); // refused
}

pub fn file() -> bool {
    std::fs::read("x").is_ok() // refused
}

pub fn open_file(file: &std::fs::File) -> &std::fs::File { // refused
    file
}

pub fn environment() -> bool {
    std::env::var("X").is_ok() // refused
}

pub fn process() {
    std::process::exit(0); // refused
}

pub fn socket(stream: &std::net::TcpStream) -> &std::net::TcpStream { // refused
    stream
}

pub fn randomness() -> std::hash::RandomState { // refused
    std::hash::RandomState::new() // refused
}
