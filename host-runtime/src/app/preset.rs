//! Presets: parameters that give good results without tuning.

use super::Application;
use crate::costs::DataTerm;
use crate::options::application::{ApplicationOptions, Occlusion, Preset};
use crate::options::{Anneal, RunOptions};

/// What the preset of `options` sets; the default preset sets nothing, its values are [`Application::defaults`].
pub fn options(application: &Application, options: &RunOptions) -> RunOptions {
    if options.application.preset.unwrap_or_default() == Preset::Default {
        return RunOptions::default();
    }
    match application {
        Application::Stereo { .. } => RunOptions {
            application: ApplicationOptions {
                data: Some(DataTerm::Robust),
                support: Some(9),
                occlusion: Some(Occlusion::Fill),
                ..ApplicationOptions::default()
            },
            alpha: Some(1.0),
            beta: Some(6.0),
            cap: Some(2),
            data_cap: Some(128),
            outside: Some(60),
            anneal: Some(Anneal { from: 20.0, to: 1.0, steps: None }),
            ..RunOptions::default()
        },
        Application::Flow { .. } => RunOptions {
            application: ApplicationOptions {
                data: Some(DataTerm::Robust),
                support: Some(4),
                grid: Some(4),
                levels: Some(2),
                ..ApplicationOptions::default()
            },
            window: options.labels.is_none().then_some(15),
            alpha: Some(1.0),
            beta: Some(8.0),
            cap: Some(255),
            data_cap: Some(100),
            outside: Some(60),
            anneal: Some(Anneal { from: 20.0, to: 0.7, steps: None }),
            ..RunOptions::default()
        },
        Application::Segment => RunOptions {
            application: ApplicationOptions {
                colour: options.values.is_none() && options.singleton.is_none() && options.costs.is_none(),
                ..ApplicationOptions::default()
            },
            // The table holds squared differences.
            alpha: Some(0.01),
            beta: Some(64.0),
            data_cap: Some(65_535),
            anneal: Some(Anneal { from: 10.0, to: 1.0, steps: None }),
            ..RunOptions::default()
        },
        _ => RunOptions::default(),
    }
}
