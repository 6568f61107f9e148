#pragma once

#include "peers/driver/call.hpp"

/// The verbs that the driver knows by name, a line each.
namespace eglantine::peers {

const VerbTable& elementwise_verbs();
const VerbTable& reduction_verbs();  ///< also scans, products and order
const VerbTable& movement_verbs();   ///< also creation
const VerbTable& index_verbs();
const VerbTable& network_verbs();   ///< losses, normalisation, convolution, pools, attention
const VerbTable& gradient_verbs();  ///< of any other one
const VerbTable& program_verbs();   ///< of several

/// Of any of them; null where there is none.
const Verb* find_verb(const std::string& name);

}  // namespace eglantine::peers
