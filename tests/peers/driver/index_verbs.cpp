#include "eglantine/indices.hpp"
#include "peers/driver/verbs.hpp"

namespace eglantine::peers {

const VerbTable& index_verbs() {
  static const VerbTable table = {
      EG_VERB(take),    EG_VERB(gather),   EG_VERB(scatter), EG_VERB(scatter_add),
      EG_VERB(one_hot), EG_VERB(compress), EG_VERB(nonzero), EG_VERB(unique),
  };
  return table;
}

}  // namespace eglantine::peers
