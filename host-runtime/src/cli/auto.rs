//! `--iterations auto`: what it needs, and the search before the run whose results are written.

use super::follow::progress_bar;
use crate::app::{Application, Cooling};
use crate::backend::Backend;
use crate::diagnostics::converge::{self, CHAINS, CHECK, FEWEST, FIRST, Found, MOST};
use crate::error::{Error, Result};
use crate::interrupt;
use crate::options::{Iterations, RunOptions};
use spa_model::Job;
use std::path::Path;

/// A search for the number of iterations.
#[derive(Debug, Clone, Copy)]
pub struct Auto {
    chains: u16,
    most: u32,
}

impl Auto {
    /// What `options` ask for, if they do.
    ///
    /// # Errors
    /// [`Error::Usage`] for options that do not go with it, or go with nothing else.
    pub fn of(application: &Application, options: &RunOptions) -> Result<Option<Self>> {
        if options.iterations != Some(Iterations::Auto) {
            return match options.max_iterations {
                Some(_) => {
                    Err(Error::usage("--max-iterations ends '--iterations auto'; give that, or leave it out"))
                }
                None => Ok(None),
            };
        }
        let refuse = |text: &str| Err(Error::usage(format!("--iterations auto {text}")));
        if options.burn_in.is_some() {
            return refuse(
                "finds its burn-in itself: results are those of the newest iterations, at most half of all; leave --burn-in out",
            );
        }
        let cools = matches!(application.defaults().cooling, Cooling::Anneal(..));
        if options.anneal.is_some()
            || options.schedule.is_some()
            || (options.temperature.is_none() && (cools || options.application.preset.is_some()))
        {
            return refuse("samples at one temperature, for a schedule ends by itself; give --temperature T");
        }
        if options.start.as_deref().is_some_and(|start| start != Path::new("random")) {
            return refuse("lets chains start apart, from random labels; leave --start out");
        }
        let chains = options.chains.unwrap_or(CHAINS);
        if chains < FEWEST {
            return refuse(&format!(
                "compares at least {FEWEST} chains, not {chains}; leave --chains out for {CHAINS}"
            ));
        }
        crate::chains::check(options.chain.unwrap_or(0), chains)?;
        let most = options.max_iterations.unwrap_or(MOST);
        if most < FIRST || !most.is_multiple_of(CHECK) {
            let allowed = format!(
                "a multiple of {CHECK}, at least {FIRST}: the chains are compared every {CHECK} iterations"
            );
            return Err(spa_model::Error::range("max-iterations", most, allowed).into());
        }
        Ok(Some(Self { chains, most }))
    }

    /// Number of chains.
    pub fn chains(self) -> u16 {
        self.chains
    }

    /// Lets chains of `job` grow until they agree; gives the job of the first one that ends there, whose newest iterations are collected,
    /// and what was found.
    ///
    /// # Errors
    /// As [`converge::converge`].
    pub fn search(self, backend: &mut dyn Backend, job: &Job) -> anyhow::Result<(Job, Found)> {
        let temperature = job.run().schedule.steps()[0].temperature;
        let name = format!("{}, {} chains, at most", backend.name(), self.chains);
        let labels = job.labels_evaluated_by(1) * u64::from(self.chains);
        let bar = progress_bar(self.most.into(), labels, name);
        let found =
            converge::converge(backend, job, (temperature, self.chains, self.most), &mut |iterations| {
                bar.set_position(iterations.into());
                !interrupt::stop_asked()
            });
        bar.finish_and_clear();
        let found = match found {
            Err(_) if interrupt::stop_asked() => {
                return Err(nothing(&format!("the chains had not all done {FIRST} iterations")).into());
            }
            found => found?,
        };
        if found.stopped && found.starts.is_none() {
            let why =
                format!("backend '{}' would have to draw all chains again from their starts", backend.name());
            return Err(nothing(&why).into());
        }
        let end = &found.convergence;
        if interrupt::stop_asked() {
            interrupt::obeyed();
            let (newest, all) = (end.iterations - end.burn_in, end.iterations);
            eprintln!(
                "the newest {newest} of {all} iterations of every chain are drawn once more, for their log"
            );
        }
        // What has not is told as an error after the results.
        if end.converged {
            eprintln!("converged after {} iterations of {} chains: {end}", end.iterations, self.chains);
        }
        let run = converge::run(job, temperature, (end.iterations, end.burn_in), job.run().chain)?;
        Ok((job.with_run(run)?, found))
    }
}

/// What is said of a search that was stopped and leaves nothing.
fn nothing(why: &str) -> Error {
    Error::Interrupted(format!("{why}, so there are no results to keep"))
}
