//! A relay in front of a server that others use too: cut, it is as if the server were gone.
use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use tokio::net::{TcpListener, TcpStream};

use crate::machine::Machine;

const FREED: Duration = Duration::from_secs(10);
const BETWEEN_TRIES: Duration = Duration::from_millis(50);

#[derive(Debug)]
pub struct Relay {
    machine: Machine,
    target: SocketAddr,
    pub address: SocketAddr,
}

impl Relay {
    pub async fn to(target: SocketAddr) -> Self {
        let machine = Machine::switched_on();
        let address = listen(&machine, crate::stack::ANY_PORT, target).await;
        Self { machine, target, address }
    }

    pub fn cut(&mut self) {
        self.machine.switch_off();
    }

    pub async fn mend(&mut self) {
        self.machine = Machine::switched_on();
        listen(&self.machine, self.address, self.target).await;
    }
}

async fn listen(machine: &Machine, address: SocketAddr, target: SocketAddr) -> SocketAddr {
    machine
        .run(move |process| async move {
            let listener = bind(address).await;
            let address = listener.local_addr().unwrap();
            process.clone().spawn(async move {
                while let Ok((stream, _)) = listener.accept().await {
                    process.spawn(carry(stream, target));
                }
            });
            address
        })
        .await
}

/// Binds an address, once the machine that was switched off has let go of it.
async fn bind(address: SocketAddr) -> TcpListener {
    let began = Instant::now();
    loop {
        match TcpListener::bind(address).await {
            Err(_) if began.elapsed() < FREED => tokio::time::sleep(BETWEEN_TRIES).await,
            bound => return bound.unwrap(),
        }
    }
}

async fn carry(mut stream: TcpStream, target: SocketAddr) {
    let Ok(mut server) = TcpStream::connect(target).await else { return };
    // Whoever ends it, both are closed.
    let _ = tokio::io::copy_bidirectional(&mut stream, &mut server).await;
}
