# The start page, in Markdown: all verbs by family.   awk -f start_page.awk <families> <header>...
# With -v sentences=yes "name<tab>first sentence" of each declaration instead, for names.awk.

function name_in(line) {
  if (line ~ /^ *(template|requires)/ || line !~ /\(/) return ""
  if (line ~ /operator/) return "operator"
  sub(/\(.*/, "", line); sub(/.*[ &*]/, "", line)
  return line
}
function first_sentence(text,    at) {
  gsub(/`/, "", text)
  at = match(text, /[.:;] |\.$/)
  return at > 0 ? substr(text, 1, at - 1) : text
}
function note(name, text) { if (name != "" && sentences != "" && !(name in noted) && text != "") { noted[name] = 1; print name "\t" first_sentence(text) } }

FNR == NR {
  if ($0 ~ /^(#|$)/) next
  stem = $0; sub(/ .*/, "", stem)
  title = $0; sub(/^[^ ]* /, "", title)
  order[++families] = stem; titles[stem] = title
  next
}
FNR == 1 {
  stem = FILENAME; sub(/.*\//, "", stem); sub(/\.hpp$/, "", stem)
  present[stem] = 1; class = text = shared = ""
  if (!(stem in titles)) {
    title = toupper(substr(stem, 1, 1)) substr(stem, 2); gsub(/_/, " ", title)
    order[++families] = stem; titles[stem] = title
  }
}
# Names are those within eglantine: of a namespace inside it, with that one's name.
/^namespace eglantine/ { inside = $2; sub(/^eglantine(::)?/, "", inside); if (inside != "") inside = inside "::"; own_use = inside ~ /detail/ }
own_use { if (/^}  \/\/ namespace/) own_use = 0; text = ""; next }
/^ *\/\/\/ / { line = $0; sub(/^ *\/\/\/ /, "", line); text = text (text == "" ? "" : " ") line; next }
/^(class|struct) / {
  class = $0; sub(/^(class|struct) (EGLANTINE_API )?/, "", class); sub(/[ ;].*/, "", class)
  if ($0 ~ /;$/) { class = ""; next }
  types[stem] = types[stem] " " inside class
  note(inside class, text); text = ""
}
/^};/ { class = "" }
/^EGLANTINE_API / {
  name = name_in($0)
  if (text != "") shared = text
  note(name, shared)
  if (name !~ /^operator/ && name != "" && !(stem SUBSEP name in listed)) { listed[stem, name] = 1; verbs[stem] = verbs[stem] " " inside name }
  text = ""
  next
}
class != "" && /\(/ { note(class "::" name_in($0), text) }
/^$/ { text = shared = "" }
!/^ *template/ { text = "" }

function links(list,    n, i, words, out) {
  n = split(list, words, " ")
  for (i = 1; i <= n; ++i) out = out (i == 1 ? "" : " ") "\\ref eglantine::" words[i] " \"" words[i] "\""
  return out
}
END {
  if (sentences != "") exit
  print "# Eglantine\n\nEvery verb and type, by family. Common to all verbs: shapes broadcast as in NumPy, operands of several dtypes meet in\n\\ref eglantine::result_type \"one\", nothing runs before a value is read, and what is wrong with an argument is thrown by the verb, as one of the\n\\ref family_error \"errors\". Examples are compiled and run by the tests; a comment shows what the line's value prints.\n"
  for (i = 1; i <= families; ++i) {
    stem = order[i]
    if (!(stem in present)) continue
    if (verbs[stem] types[stem] == "" && stem != "operators") continue
    print "\\htmlonly <section> \\endhtmlonly"
    print "<strong>\\ref family_" stem " \"" titles[stem] "\"</strong>\n"
    print links(types[stem] verbs[stem]) "\n"
    print "\\htmlonly </section> \\endhtmlonly"
  }
}
