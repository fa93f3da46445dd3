//! A machine of a site: it works beside the test, and can be switched off in the middle of anything.
use process::Process;
use tokio::runtime::{Builder, Runtime};

const THREADS: usize = 2;

#[derive(Debug)]
pub struct Machine {
    runtime: Option<Runtime>,
    process: Process,
}

impl Machine {
    pub fn switched_on() -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(THREADS).enable_all().build();
        Self { runtime: Some(runtime.unwrap()), process: Process::default() }
    }

    /// Does something on the machine, as one program there.
    pub async fn run<T, F>(&self, act: impl FnOnce(Process) -> F) -> T
    where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        let runtime = self.runtime.as_ref().unwrap();
        runtime.handle().spawn(act(self.process.clone())).await.unwrap()
    }

    /// Ends everything where it stands, as a lost machine does: nothing is finished or flushed.
    pub fn switch_off(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }

    /// Ends everything as SIGTERM does.
    pub async fn shut_down(&mut self) {
        self.run(|process| async move { process.drain().await }).await;
        self.switch_off();
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        self.switch_off();
    }
}
