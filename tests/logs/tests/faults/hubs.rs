//! Hubs that are like processes: each has its own runtime, connection and proxy, and can be killed.

use crate::{proxy::Proxy, random::Random};
use eventwire_hub::{History, Hub, Topic};
use eventwire_redis::RedisLog;
use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    time::Duration,
};
use tokio::runtime::{Builder, Handle, Runtime};

/// How often a hub reads without a wake-up.
pub(crate) const RESYNC: Duration = Duration::from_secs(1);

/// All hubs behind one address.
#[derive(Debug)]
pub(crate) struct Hubs {
    proxies: Vec<Proxy>,
    max_events: usize,
    /// `None` while one is killed.
    processes: Mutex<Vec<Option<Arc<Process>>>>,
}

#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) hub: Hub<RedisLog>,
    pub(crate) runtime: Handle,
    is_killed: AtomicBool,
    owner: Mutex<Option<Runtime>>,
}

impl Hubs {
    pub(crate) fn start(proxies: Vec<Proxy>, max_events: usize) -> Hubs {
        let processes = proxies.iter().map(|proxy| Some(Process::start(&proxy.url(), max_events))).collect();
        Hubs { proxies, max_events, processes: Mutex::new(processes) }
    }

    pub(crate) fn proxies(&self) -> &[Proxy] {
        &self.proxies
    }

    pub(crate) fn len(&self) -> usize {
        self.proxies.len()
    }

    /// Returns one that lives.
    pub(crate) fn any(&self, random: &mut Random) -> Option<Arc<Process>> {
        let processes = self.processes.lock().unwrap_or_else(PoisonError::into_inner);
        let alive: Vec<_> = processes.iter().flatten().collect();
        (!alive.is_empty()).then(|| Arc::clone(alive[random.below(alive.len())]))
    }

    pub(crate) fn kill(&self, index: usize) {
        let process = self.processes.lock().unwrap_or_else(PoisonError::into_inner)[index].take();
        if let Some(process) = process {
            process.kill();
        }
    }

    /// Starts another process where one was killed.
    pub(crate) fn start_again(&self, index: usize) {
        let mut processes = self.processes.lock().unwrap_or_else(PoisonError::into_inner);
        processes[index].get_or_insert_with(|| Process::start(&self.proxies[index].url(), self.max_events));
    }
}

impl Drop for Hubs {
    fn drop(&mut self) {
        (0..self.len()).for_each(|index| self.kill(index));
    }
}

impl Process {
    fn start(url: &str, max_events: usize) -> Arc<Process> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let log = RedisLog::open(url).unwrap().with_max_events(max_events);
        // A short history, so that many readers need pages of the log.
        let hub = Hub::new(log).with_history(History::new().with_max_events(24));
        let hub = hub.with_resync(RESYNC).with_idle(Duration::from_millis(200));
        let handle = runtime.handle().clone();
        Arc::new(Process { hub, runtime: handle, is_killed: false.into(), owner: Mutex::new(Some(runtime)) })
    }

    pub(crate) fn is_killed(&self) -> bool {
        self.is_killed.load(SeqCst)
    }

    fn kill(&self) {
        self.is_killed.store(true, SeqCst);
        let runtime = self.owner.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(runtime) = runtime {
            runtime.shutdown_background();
        }
    }
}

/// The topic with a number.
pub(crate) fn topic(number: usize) -> Topic {
    Topic::new(&format!("t{number}")).unwrap()
}
