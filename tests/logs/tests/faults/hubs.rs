//! Hubs that are like processes: each has its own runtime, connection and proxy, and can be killed.

use crate::random::Random;
use eventwire_hub::{History, Hub, Topic};
use eventwire_log_tests::proxy::Proxy;
use eventwire_redis::RedisLog;
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::runtime::{Builder, Handle, Runtime};

/// How often a hub reads without a wake-up.
pub(crate) const RESYNC: Duration = Duration::from_secs(1);

/// All hubs behind one address.
#[derive(Debug)]
pub(crate) struct Hubs {
    pub(crate) proxies: Vec<Proxy>,
    max_events: usize,
    /// One for each proxy.
    processes: Mutex<Vec<Arc<Process>>>,
}

#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) hub: Hub<RedisLog>,
    pub(crate) handle: Handle,
    /// `None` if it was killed.
    runtime: Mutex<Option<Runtime>>,
}

impl Hubs {
    pub(crate) fn start(proxies: Vec<Proxy>, max_events: usize) -> Hubs {
        let processes = proxies.iter().map(|proxy| Process::start(proxy, max_events)).collect();
        Hubs { proxies, max_events, processes: Mutex::new(processes) }
    }

    /// Returns one that lives.
    pub(crate) fn any(&self, random: &mut Random) -> Arc<Process> {
        let processes = self.processes.lock().unwrap();
        let alive: Vec<_> = processes.iter().filter(|process| !process.is_killed()).collect();
        Arc::clone(random.pick(&alive))
    }

    pub(crate) fn kill(&self, index: usize) {
        self.processes.lock().unwrap()[index].kill();
    }

    /// Starts another process where one was killed.
    pub(crate) fn start_again(&self, index: usize) {
        self.processes.lock().unwrap()[index] = Process::start(&self.proxies[index], self.max_events);
    }
}

impl Drop for Hubs {
    fn drop(&mut self) {
        self.processes.get_mut().unwrap().iter().for_each(|process| process.kill());
    }
}

impl Process {
    fn start(proxy: &Proxy, max_events: usize) -> Arc<Process> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let log = RedisLog::open(&proxy.url()).unwrap().with_max_events(max_events);
        // A short history, so that many readers need pages of the log.
        let hub = Hub::new(log).with_history(History::new().with_max_events(24));
        let hub = hub.with_resync(RESYNC).with_idle(Duration::from_millis(200));
        Arc::new(Process { hub, handle: runtime.handle().clone(), runtime: Mutex::new(Some(runtime)) })
    }

    pub(crate) fn is_killed(&self) -> bool {
        self.runtime.lock().unwrap().is_none()
    }

    fn kill(&self) {
        if let Some(runtime) = self.runtime.lock().unwrap().take() {
            runtime.shutdown_background();
        }
    }
}

/// The topic with a number.
pub(crate) fn topic(number: usize) -> Topic {
    Topic::new(&format!("t{number}")).unwrap()
}
