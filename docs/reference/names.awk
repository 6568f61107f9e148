# names.js from Doxygen's tag file: [name, kind, address, first sentence] of everything that has a place in the reference.
#   awk -v sentences=<file of "name<tab>sentence"> -f names.awk <tag file>

function value(line) { sub(/^[^>]*>/, "", line); sub(/<\/.*/, "", line); return line }
function plain(text) { gsub(/&lt;/, "<", text); gsub(/&gt;/, ">", text); gsub(/&amp;/, "\\&", text); return text }
function quoted(text) { gsub(/\\/, "\\\\", text); gsub(/"/, "\\\"", text); return "\"" text "\"" }
function entry(name, kind, address, text) {
  name = plain(name)
  if (seen[name]++ || name ~ /^(~|operator)/) return
  printf "%s[%s,%s,%s,%s]", count++ ? ",\n" : "", quoted(name), quoted(kind), quoted(address), quoted(text)
}

BEGIN {
  while ((getline line < sentences) > 0) { split(line, parts, "\t"); sentence[parts[1]] = parts[2] }
  print "'use strict';\nconst names = ["
}
/^  <compound kind="/ { kind = $0; sub(/.*kind="/, "", kind); sub(/".*/, "", kind); compound = title = file = "" }
/^    <name>/ { compound = value($0) }
/^    <title>/ { title = value($0) }
/^    <filename>/ {
  file = value($0)
  if (file !~ /\.html$/) file = file ".html"
  if (kind == "group") entry(title, "family", file, "Family")
  short = compound; sub(/^eglantine::/, "", short)
  if (kind == "class" || kind == "struct" || kind == "concept") entry(short, "type", file, sentence[short])
}
/^    <member kind="/ { friend = $0 ~ /kind="friend"/ }
/^      <name>/ { member = value($0) }
/^      <anchorfile>/ { where = value($0) }
/^      <anchor>/ && !friend {
  at = where "#" value($0)
  if (kind == "class" || kind == "struct") { full = short "::" member; if (member != short) entry(full, "member", at, sentence[full]) }
  else if (kind == "namespace" || kind == "group") entry(member, "verb", at, sentence[member])
}
END { print "\n];" }
