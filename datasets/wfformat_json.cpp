// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "wfformat_json.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "berth/error.hpp"

#include "json_view.hpp"
#include "reader_support.hpp"

namespace berth::datasets {
namespace {

using NumberById = std::unordered_map<std::string, double>;
using Files = std::unordered_set<std::string>;

/// Values of `field` by id, over a list of objects; elements without the field are left out.
NumberById numbers_by_id(const std::optional<JsonView>& list, const char* field) {
  NumberById values;
  if (!list) {
    return values;
  }
  for (const JsonView& view : list->items()) {
    if (const auto found = view.find(field)) {
      if (!(found->number() >= 0.0)) {
        found->fail("expected a number >= 0");
      }
      values[view.at("id").text()] = found->number();
    }
  }
  return values;
}

std::vector<std::string> texts(const std::optional<JsonView>& list) {
  std::vector<std::string> values;
  if (list) {
    for (const JsonView& view : list->items()) {
      values.push_back(view.text());
    }
  }
  return values;
}

struct Task {
  std::vector<std::string> outputs;
  Files inputs;
};

}  // namespace

Graph read_wfformat(const SourceText& source, Logger& logger) {
  const nlohmann::json document = parse_json(source);
  const JsonView root(document, source.place);
  const JsonView workflow = root.at("workflow");
  const JsonView specification = workflow.at("specification");
  const NumberById size = numbers_by_id(specification.find("files"), "sizeInBytes");
  const NumberById runtime =
      numbers_by_id(workflow.at("execution").find("tasks"), "runtimeInSeconds");
  const auto bytes = [&](const std::string& file) {
    const auto found = size.find(file);
    return found == size.end() ? 0.0 : found->second;
  };
  const auto name = root.find("name");
  GraphBuilder builder(name ? name->text() : source.stem());
  NameTally names;
  std::unordered_map<std::string, std::size_t> op_of;
  std::vector<Task> tasks;
  const std::vector<JsonView> views = specification.at("tasks").items();
  for (const JsonView& view : views) {
    const std::string& id = view.at("id").text();
    if (!op_of.emplace(id, tasks.size()).second) {
      view.at("id").fail(shown(id) + " stands twice; ids must be unique");
    }
    const auto seconds = runtime.find(id);
    if (seconds == runtime.end()) {
      view.at("id").fail("no runtimeInSeconds of " + shown(id) +
                         " in workflow.execution.tasks; expected one for every task");
    }
    Task task;
    task.outputs = texts(view.find("outputFiles"));
    for (std::string& file : texts(view.find("inputFiles"))) {
      task.inputs.insert(std::move(file));
    }
    OpSpec op;
    op.name = view.find("name") ? view.at("name").text() : id;
    op.work = seconds->second;
    for (const std::string& file : task.outputs) {
      op.output_bytes += bytes(file);
    }
    names.add(op.name);
    builder.add_op(std::move(op));
    tasks.push_back(std::move(task));
  }
  std::vector<std::vector<std::size_t>> children(tasks.size());
  for (std::size_t v = 0; v < views.size(); ++v) {
    for (const char* key : {"parents", "children"}) {
      for (const std::string& other : texts(views[v].find(key))) {
        const auto found = op_of.find(other);
        if (found == op_of.end()) {
          views[v].at(key).fail("no task has id " + shown(other));
        }
        const bool up = key[0] == 'p';
        children[up ? found->second : v].push_back(up ? v : found->second);
      }
    }
  }
  for (std::size_t v = 0; v < children.size(); ++v) {
    std::sort(children[v].begin(), children[v].end());
    children[v].erase(std::unique(children[v].begin(), children[v].end()), children[v].end());
    for (const std::size_t child : children[v]) {
      double moved = 0.0;
      for (const std::string& file : tasks[v].outputs) {
        moved += tasks[child].inputs.contains(file) ? bytes(file) : 0.0;
      }
      add_edge_at(builder, v, child, moved / kWfFormatBytesPerSecond, source, 1);
    }
  }
  names.warn(source, logger);
  return freeze(builder, source, logger);
}

}  // namespace berth::datasets
