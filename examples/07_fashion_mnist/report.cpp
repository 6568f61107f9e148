#include "report.hpp"

#include <algorithm>
#include <cmath>

#include "pictures.hpp"
#include "report_style.hpp"
#include "svg_confusion.hpp"
#include "svg_plot.hpp"
#include "text.hpp"

namespace {

std::string fact(const std::string& value, const std::string& what) {
  return "<div><b>" + value + "</b><span>" + what + "</span></div>\n";
}

std::string row(const std::string& what, const std::string& value) {
  return "<tr><th scope='row'>" + what + "</th><td>" + escaped(value) + "</td></tr>\n";
}

std::string section(const std::string& title, const std::string& note, const std::string& content) {
  return "<h2>" + title + "</h2>\n<p class='note'>" + note + "</p>\n" + content;
}

int64_t images_per_second(const Run& run) {
  const double seconds = run.log.pace.seconds_per_step();
  return seconds > 0 ? std::llround(static_cast<double>(run.options.batch) / seconds) : 0;
}

std::string headline(const Run& run, const Dataset& training, const Dataset& test) {
  // A driver may make a line of the device's name, so it stands in the text and not in the title.
  std::string out = "<h1>Fashion-MNIST</h1>\n<p class='lead'>A convolutional network of " + grouped(run.parameters) +
                    " parameters, trained on " + grouped(training.count()) + " pictures of clothes and tested on " +
                    grouped(test.count()) + " others. Device: " + escaped(run.device.name) + ".</p>\n";
  if (run.log.interrupted)
    out += "<p class='alert'>The training was interrupted: the figures are those of the network as it was then.</p>\n";
  const auto broken =
      std::count_if(run.log.losses.begin(), run.log.losses.end(), [](float loss) { return !std::isfinite(loss); });
  if (broken > 0)
    out += "<p class='alert'>" + grouped(broken) +
           " losses are not finite: the training diverged. They are left out of the plot.</p>\n";
  return out + "<div class='facts'>\n" +
         fact(fixed(100 * run.log.last.accuracy, 2) + " %", "right on the test images") +
         fact(grouped(images_per_second(run)), "images a second, training, after the first steps") +
         fact(fixed(run.seconds, 1) + " s", "the whole run") +
         fact(grouped(static_cast<int64_t>(run.log.losses.size())), "steps") + "</div>\n";
}

/// "5", or "0.3" when the training was stopped early.
std::string epochs_run(const Run& run) {
  const auto steps = static_cast<int64_t>(run.log.losses.size());
  const bool whole = steps % run.log.length.steps_per_epoch == 0;
  return fixed(static_cast<double>(steps) / static_cast<double>(run.log.length.steps_per_epoch), whole ? 0 : 1);
}

std::string settings(const Run& run) {
  const Options& options = run.options;
  return "<table>\n" + row("Device", run.device.name) +
         (run.device.driver.empty() ? "" : row("Driver", run.device.driver)) +
         row("Opened as", run.device.spec + (run.device.platform.empty() ? "" : ", " + run.device.platform)) +
         row("Network", Network::description()) + row("Parameters", std::to_string(run.parameters)) +
         row("Loss", "mean cross-entropy of a batch, labels smoothed by " + fixed(Recipe::smoothing, 2)) +
         row("Batch", std::to_string(options.batch) + " images") +
         row("Epochs", epochs_run(run) + " of " + std::to_string(options.epochs)) +
         row("Optimiser", "AdamW, weight decay " + fixed(Recipe::decay, 2)) +
         row("Learning rate", "rises to " + fixed(Recipe::peak_rate, 3) +
                                  " in the first tenth of the steps, then falls to " + fixed(Recipe::last_rate, 6) +
                                  " along half a wave of a cosine") +
         row("Seed", std::to_string(options.seed)) + row("Library", "Eglantine " EGLANTINE_VERSION) + "</table>\n";
}

}  // namespace

std::string report_html(const Run& run, const Dataset& training, const Dataset& test) {
  const TrainingLog& log = run.log;
  return std::string(
             "<!DOCTYPE html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
             "<meta name='viewport' content='width=device-width, "
             "initial-scale=1'>\n<title>Fashion-MNIST</title>\n<style>") +
         report_style + "</style>\n</head>\n<body>\n<main>\n" + headline(run, training, test) +
         section("Loss", "Of every step, faint, and smoothed. A dotted line ends each epoch.",
                 loss_plot(log.losses, log.length.steps_per_epoch)) +
         section("Accuracy", "On the test images, after each epoch.", accuracy_plot(log.accuracies)) +
         section("What is taken for what",
                 "A row for what a picture shows, a column for the guess. Right guesses are blue, wrong ones orange; "
                 "the last column is the share found.",
                 confusion_table(log.last.confusion)) +
         section("What the first layer looks for",
                 "The " + std::to_string(Network::filters) + " filters of the first convolution, " +
                     std::to_string(Network::filter_side) + " x " + std::to_string(Network::filter_side) +
                     " weights each. White is where a filter wants light, black where it wants dark; grey is ignored.",
                 filter_pictures(run.filters, Network::filter_side)) +
         section("Wrong guesses",
                 grouped(static_cast<int64_t>(log.last.wrong.size())) +
                     " test images were taken for something else; here are some. " +
                     "Bold is what the picture is, below it what the network took it for.",
                 wrong_pictures(log.last, test, 40)) +
         section("Settings", "What it takes to run this again.", settings(run)) +
         "<footer>Data: Fashion-MNIST by Zalando Research (Xiao, Rasul and Vollgraf, "
         "2017).</footer>\n</main>\n</body>\n</html>\n";
}
