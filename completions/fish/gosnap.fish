# SPDX-License-Identifier: Apache-2.0
# gosnap itself knows what may come next, from its tables of options: src/commands/cmd_complete.c

function __gosnap_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] complete $words[2..-1] "$current" 2>/dev/null)
        if test "$line" != :files
            echo $line
        else if string match -qr -- '^-.*=' $current
            set -l option (string replace -r -- '=.*' '=' $current)
            __fish_complete_path (string replace -r -- '^[^=]*=' '' $current) |
                string replace -r -- '^' $option
        else
            __fish_complete_path $current
        end
    end
end

complete -c gosnap -f -a '(__gosnap_complete)'
