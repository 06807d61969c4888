//! `--report` and the figure: one file, self-contained; a browser shows the counts of the pixel that the address names.

use super::support::Spa;
use spa_runtime::npy;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A Chromium, or none with the name of the test that is skipped. Debian: `apt-get install chromium`.
fn browser(test: &str) -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|candidate| candidate.is_file());
    if found.is_none() {
        eprintln!("skipped: {test}: no Chromium in PATH (apt-get install chromium)");
    }
    found
}

/// The page after its script ran.
fn dump(browser: &Path, page: &Path, fragment: &str) -> String {
    let profile = tempfile::tempdir().unwrap();
    let url = format!("file://{}#{fragment}", page.to_str().unwrap().replace(' ', "%20"));
    let output = Command::new(browser)
        .args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
        ])
        .args(["--enable-logging=stderr", "--virtual-time-budget=10000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(url)
        .output()
        .unwrap();
    let log = String::from_utf8_lossy(&output.stderr);
    let errors: Vec<&str> = log.lines().filter(|line| line.contains("CONSOLE")).collect();
    assert!(errors.is_empty(), "the script complains: {errors:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Label and count of every row of the table of the pixel.
fn rows(dom: &str) -> Vec<(usize, u16)> {
    let value = |row: &str, name: &str| {
        let from = row.find(&format!("{name}=\"")).unwrap() + name.len() + 2;
        row[from..].split('"').next().unwrap().parse::<usize>().unwrap()
    };
    // The script has such rows in its own text; those of the panel count.
    let panel = dom.split("<section id=\"pixel\"").nth(1).unwrap().split("</section>").next().unwrap();
    let rows = panel.split("<tr ").skip(1).filter(|row| row.starts_with("data-label"));
    rows.map(|row| (value(row, "data-label"), value(row, "data-count") as u16)).collect()
}

/// Column of the ring in a picture of 40 pixels, if it is shown there.
fn ring(dom: &str, picture: &str) -> Option<f64> {
    let figure =
        dom.split(&format!("<figure id=\"{picture}\"")).nth(1).unwrap().split("</figure>").next().unwrap();
    let mark = figure.split("class=\"mark\"").nth(1).unwrap().split('>').next().unwrap();
    if mark.contains("display: none") {
        return None;
    }
    let left = mark.split("left: ").nth(1).unwrap().split('%').next().unwrap();
    Some((left.parse::<f64>().unwrap() * 0.4 * 1e4).round() / 1e4)
}

#[test]
fn a_browser_shows_the_counts_of_the_pixel_that_is_named() {
    let Some(browser) = browser("a_browser_shows_the_counts_of_the_pixel_that_is_named") else { return };
    for (kind, labels, more) in [
        ("stereo", "12", &["scene/left.png", "scene/right.png", "--labels", "12", "--dmin", "2"][..]),
        ("flow", "25", &["scene/frame1.png", "scene/frame2.png", "--window", "5"]),
        ("segment", "3", &["scene/image.png", "--labels", "3"]),
        ("restore", "3", &["scene/image.png", "--labels", "16"]),
    ] {
        let spa = Spa::with_scene(if kind == "restore" { "segment" } else { kind }, labels);
        let common = ["--temperature", "4", "--iterations", "400", "-o", "out", "--report", "a report.html"];
        spa.ok(&[&[kind][..], more, &common[..]].concat());
        let histogram = npy::read(&spa.path("out/histogram.npy")).unwrap();
        let labels = histogram.shape[2] as usize;
        // Every start of a browser takes a second: all corners for one application only.
        let pixels = [(17_usize, 11_usize), (0, 0), (39, 29)];
        for &(x, y) in if kind == "stereo" { &pixels[..] } else { &pixels[..1] } {
            let dom = dump(&browser, &spa.path("a report.html"), &format!("x={x}&y={y}"));
            assert!(dom.contains("data-ready=\"yes\""), "{kind}: the script did not finish");
            assert!(dom.contains(&format!("<h2>Pixel ({x}, {y})</h2>")), "{kind} {x} {y}");
            if kind == "stereo" {
                let disparity = 2 + rows(&dom)[0].0;
                assert_eq!(ring(&dom, "first"), Some(x as f64 + 0.5));
                let expected = x.checked_sub(disparity).map(|x| x as f64 + 0.5);
                assert_eq!(ring(&dom, "second"), expected, "at the match, or nowhere");
            }
            let counts = &histogram.values[(y * 40 + x) * labels..][..labels];
            let mut expected: Vec<(usize, u16)> =
                counts.iter().copied().enumerate().filter(|(_, count)| *count > 0).collect();
            expected.sort_by_key(|&(label, count)| (u16::MAX - count, label));
            expected.truncate(8);
            assert_eq!(rows(&dom), expected, "{kind} {x} {y}");
        }
    }
}

#[test]
fn a_report_is_one_file_with_everything_inside() {
    let spa = Spa::with_scene("stereo", "12");
    let run = ["stereo", "scene/left.png", "scene/right.png", "--labels", "12", "--iterations", "20"];
    let with = |more: &[&'static str]| run.iter().chain(more).copied().collect::<Vec<_>>();
    std::fs::write(spa.path("r.html"), "old").unwrap();
    spa.ok(&with(&["--report", "r.html"]));
    let page = std::fs::read_to_string(spa.path("r.html")).unwrap();
    for outside in ["src=\"http", "href=\"http", "url(", "@import", "<link rel=\"stylesheet\""] {
        assert!(!page.contains(outside), "{outside}");
    }
    for word in [
        "Left picture",
        "Disparity",
        "Confidence",
        "Entropy",
        "Standard deviation",
        "Number of labels that hold 95% of the samples",
        "Temperature",
        "first iterations, which are not collected",
        "<th>temperatures</th><td>from 13 to 3.4 in 20 steps, 20 iterations together</td>",
        "no\ncalibrated probability",
        "Label log",
    ] {
        assert!(page.contains(word), "{word}");
    }
    assert!(page.contains(
        "<pre>spa stereo scene/left.png scene/right.png --labels 12 --iterations 20 --report r.html</pre>"
    ));
    assert_eq!(page.matches("data:image/").count(), 7, "two photographs and five maps");
    assert_eq!(
        spa.fails(1, &with(&["--report", "no/r.html"])),
        "error: failed to write report 'no/r.html': 'no' is no folder; create it, or choose another place\n"
    );
    assert_eq!(
        spa.fails(2, &with(&["-o", "q", "--report", "./q"])),
        "error: --report and -o are both './q'; give --report a file of its own\n"
    );
    assert!(spa.fails(1, &with(&["--report", "scene"])).contains("it is a folder; give the name of a file"));
}

#[test]
fn the_figure_is_in_the_result_folder() {
    for (kind, labels) in [("stereo", "12"), ("flow", "25"), ("segment", "3")] {
        let spa = Spa::with_scene(kind, labels);
        let pictures: &[&str] = if kind == "segment" { &["scene/image.png"] } else { &["scene"] };
        let labels: &[&str] = if kind == "flow" { &["--window", "5"] } else { &["--labels", labels] };
        spa.ok(&[&[kind][..], pictures, labels, &["--iterations", "5", "-o", "out"]].concat());
        let figure = image::open(spa.path("out/figure.png")).unwrap();
        // Three panels, enlarged to 320 pixels each.
        assert_eq!(figure.width(), 3 * 320 + 4 * 16, "{kind}");
    }
}

#[test]
fn fields_without_a_picture_have_a_figure_and_a_report_too() {
    let spa = Spa::new();
    // Few labels are named, many are on a scale.
    for (labels, legend) in [(3_usize, "label 2 <small>"), (20, "<div class=\"unit\">labels</div>")] {
        let costs: Vec<f32> = (0..8 * 6 * labels).map(|n| ((n * n) % 17) as f32 / 4.0).collect();
        npy::write(&spa.path("u.npy"), &[6, 8, labels as u64], &costs).unwrap();
        std::fs::write(spa.path("m.toml"), "unary = 'u.npy'\niterations = 40\n").unwrap();
        spa.ok(&["infer", "m.toml", "-o", "out", "--report", "r.html"]);
        let figure = image::open(spa.path("out/figure.png")).unwrap();
        // Labels, confidence and entropy, eight pixels made 304.
        assert_eq!(figure.width(), 3 * 304 + 4 * 16);
        let page = std::fs::read_to_string(spa.path("r.html")).unwrap();
        assert!(page.contains("Labels") && page.contains("Confidence") && page.contains(legend), "{labels}");
        assert!(!page.contains("data:image/jpeg"), "there is no photograph");
    }
}

#[test]
fn parts_of_pixels_are_told_in_pixels() {
    let page = |kind: &str, more: &[&str]| {
        let spa = Spa::with_scene(kind, "9");
        spa.ok(&[&[kind, "scene", "--iterations", "4", "--report", "r.html"][..], more].concat());
        std::fs::read_to_string(spa.path("r.html")).unwrap()
    };
    assert!(page("stereo", &["--labels", "9", "--grid", "2"]).contains("\"0 px\",\"0.5 px\",\"1 px\""));
    assert!(page("flow", &["--window", "3", "--grid", "4"]).contains("\"(−0.25, −0.25) px\""));
    assert!(page("flow", &["--window", "3", "--levels", "2"]).contains("\"base + (−1, −1) px\""));
}

#[test]
fn grey_values_are_on_a_scale_not_in_a_list() {
    let spa = Spa::with_scene("segment", "3");
    spa.ok(&["restore", "scene/image.png", "--iterations", "10", "-o", "out", "--report", "r.html"]);
    let page = std::fs::read_to_string(spa.path("r.html")).unwrap();
    assert!(!page.contains("class=\"classes\"") && !page.contains("Classes on the picture"));
    assert!(page.contains("#000000,#0b0b0b"), "from black on");
    // Title, picture (30 rows made 240), scale: no place for a list.
    assert_eq!(image::open(spa.path("out/figure.png")).unwrap().height(), 2 * 16 + 26 + 240 + 8 + 14 + 26);
}
