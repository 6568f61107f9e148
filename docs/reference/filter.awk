# A public header as Doxygen is to read it (INPUT_FILTER): what stands in it is one family, declarations that share a
# comment have it each, and each verb has its example.
#   awk -v families=<file> -v examples=<folder> -f filter.awk <header>

function stem_of(path) { sub(/.*\//, "", path); sub(/\.hpp$/, "", path); return path }

function read_families(    line, name) {
  while ((getline line < families) > 0) {
    if (line ~ /^(#|$)/) continue
    name = line; sub(/ .*/, "", name)
    sub(/^[^ ]* /, "", line)
    titles[name] = line
  }
}

# example[name] is the code of "// [name]" in any of the files; given[file, i] what stands before the file's first.
function read_examples(    files, path, line, name) {
  files = "ls " examples "/*.cpp"
  while ((files | getline path) > 0) {
    name = ""
    while ((getline line < path) > 0) {
      if (line ~ /^\/\/ \[.*\]$/) { name = line; gsub(/^\/\/ \[|\]$/, "", name); file_of[name] = path }
      else if (name != "") example[name] = example[name] line "\n"
      else if (line !~ /^(\/\/|$)/) given[path, ++givens[path]] = line
    }
  }
}

function mentions(text, word,    rest, at, before, after) {
  rest = text
  while ((at = index(rest, word)) > 0) {
    before = at == 1 ? " " : substr(rest, at - 1, 1)
    after = substr(rest, at + length(word), 1)
    if (before !~ /[A-Za-z0-9_]/ && after !~ /[A-Za-z0-9_]/) return 1
    rest = substr(rest, at + length(word))
  }
  return 0
}

# The example's comment, with those of the given variables that it names.
function example_text(name,    i, variable, text, body, lines, n, file) {
  body = example[name]
  file = file_of[name]
  if (body == "" || shown[name]++) return ""
  for (i = 1; i <= givens[file]; ++i) {
    variable = given[file, i]; sub(/ *[={(].*/, "", variable); sub(/.* /, "", variable)
    if (mentions(body, variable)) text = text "/// " given[file, i] "\n"
  }
  n = split(body, lines, "\n")
  while (n > 0 && lines[n] == "") --n
  for (i = 1; i <= n; ++i) text = text "/// " lines[i] "\n"
  gsub(/\/\/ -> /, "// ", text); gsub(/\n\/\/\/ \/\/    /, "\n/// // ", text)
  return "///\n/// \\par Example\n/// \\code{.cpp}\n" text "/// \\endcode\n"
}

# A line of a comment, with what Doxygen and Markdown would take for more than text escaped.
function escaped(line) {
  gsub(/\\/, "\\\\", line); gsub(/</, "\\<", line); gsub(/%/, "\\%", line); gsub(/#/, "\\#", line); gsub(/\*/, "\\*", line)
  return line
}

# The name that a declaration declares: the word before the first bracket; "" while there is none.
function name_in(line) {
  if (line ~ /^ *(template|requires)/ || line !~ /\(/) return ""
  if (line ~ /operator/) return "operator"
  sub(/\(.*/, "", line); sub(/.*[ &*]/, "", line)
  return line
}

function flush_comment(name) {
  printf "%s%s%s", comment, example_text(class == "" ? name : name == "" ? class : class "::" name), prefix
  comment = prefix = ""
}

function operator_row(code, verb) { gsub(/&/, "\\&amp;", code); gsub(/</, "\\&lt;", code); gsub(/>/, "\\&gt;", code); return "/// <tr><td><code>" code "</code></td><td>" verb "</td></tr>\n" }
function operators_page(    parts, symbol, verb, name) {
  print "/// \\defgroup family_operators " title "\n/// " escaped(family_text)
  table = "/// <table><tr><th>operator</th><th>verb</th></tr>\n"
  for (i = 1; i <= lines_count; ++i) {
    line = all[i]
    if (line ~ /^EG_OPERATOR\(/) {
      symbol = line; sub(/^EG_OPERATOR\(/, "", symbol); sub(/, .*/, "", symbol)
      verb = line; sub(/.*, /, "", verb); sub(/\).*/, "", verb)
      table = table operator_row("a " symbol " b", verb "()")
    } else if (line ~ /^inline Tensor operator.\(/) {
      symbol = substr(line, 23, 1)
      verb = line; sub(/.*return /, "", verb); sub(/;.*/, "", verb)
      table = table operator_row(symbol "x", verb == "x" ? "itself" : substr(verb, 1, index(verb, "(")) ")")
    } else if (line ~ /operator[^ ]*=\(Tensor& x/) {
      symbol = line; sub(/.*operator/, "", symbol); sub(/\(.*/, "", symbol)
      table = table operator_row("x " symbol " y", "x keeps its shape and dtype, else ShapeError, DTypeError")
    }
  }
  printf "%s/// </table>\n%s%s", table, example_text("operators"), example_text("operator+=")
}

BEGIN { read_families(); read_examples() }
FNR == 1 {
  stem = stem_of(FILENAME)
  title = stem in titles ? titles[stem] : toupper(substr(stem, 1, 1)) substr(stem, 2)
  gsub(/_/, " ", title)
}

stem == "operators" { all[++lines_count] = $0; if ($0 ~ /^\/\/\/ /) family_text = substr($0, 5); next }

# A comment is held until it is known what it is about.
/^ *\/\/\/ / || /^ *\/\/\/$/ {
  if ($0 ~ /For the library's own use/) { print "/// \\cond"; hidden = 1; next }
  text = $0; sub(/^ *\/\/\/ ?/, "", text)
  comment = comment "/// " escaped(text) "\n"
  held = 0
  next
}
hidden && (/^$/ || /^};/ || /^ *private:/) { print "/// \\endcond"; hidden = 0 }

/^namespace eglantine(::[a-z]+)? \{/ {
  if (!opened++) printf "/// \\defgroup family_%s %s\n", stem, title
  printf "%s", comment
  comment = ""
  print $0 "\n/// \\addtogroup family_" stem "\n/// @{"
  in_family = 1
  next
}
/^}  \/\/ namespace eglantine(::[a-z]+)?$/ { print "/// @}\n" $0; in_family = 0; next }

/^(class|struct) / { class = $0; sub(/^(class|struct) (EGLANTINE_API )?/, "", class); sub(/[ ;].*/, "", class); if ($0 ~ /;$/) class = "" }
/^};/ { class = "" }

# A declaration: with the comment above it, the comment of the one above it, or that of the member of its name.
/^EGLANTINE_API / && in_family {
  name = name_in($0)
  if (comment != "") { shared = comment; held = 1 }
  else if (held) comment = shared
  else comment = "/// \\copydoc eglantine::Tensor::" name "\n"
  flush_comment(name)
  print
  next
}
{
  if ($0 ~ /^$/) held = 0
  if ($0 ~ /^ *\/\/ /) held = 0
  if (comment != "" && $0 ~ /^ *template/) { prefix = prefix $0 "\n"; next }
  if (comment != "") flush_comment(name_in($0))
  else if (class != "" && name_in($0) != "") printf "%s", example_text(class "::" name_in($0))
  print
}
END { if (stem == "operators") operators_page() }
