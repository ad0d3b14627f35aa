# Comments of the headers as Doxygen knows them: at the head of a file, before a thing, behind it.
1s|^/\* |/** @file\
 * |
/^ *\/\* ---/b
s|^\( *\)/\* |\1/** |
s|\([^ ].*\)/\* |\1/**< |
# rows of small tables stay rows
s|^ \*   | *       |
# a constant in an enumeration without a name, which newer tools stumble over
/^enum { .* };$/d
