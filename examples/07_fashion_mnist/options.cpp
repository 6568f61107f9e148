#include "options.hpp"

#include "../options.hpp"

Options read_options(int count, char** arguments) {
  Options options;
  std::string about;
  std::vector<Option> known;
#define ABOUT(what) about = what;
#define TEXT(name, value, what) known.push_back({"--" #name, &options.name, value, what});
#define NUMBER(name, least, most, what) known.push_back({"--" #name, &options.name, "N", what, least, most});
#define FLAG(name, what) known.push_back({"--" #name, &options.name, "", what});
#include "options.def"
#undef ABOUT
#undef TEXT
#undef NUMBER
#undef FLAG
  take_options(count, arguments, about, known);
  return options;
}
