//! The names of Android's keys, which both ends of `input keyevent` read. Source: `android.view.KeyEvent`
//! (developer.android.com, API level 34).

/// Names without `KEYCODE_`; a key's number is its place.
const NAMES: &str = "\
    UNKNOWN SOFT_LEFT SOFT_RIGHT HOME BACK CALL ENDCALL 0 1 2 3 4 5 6 7 8 9 STAR POUND DPAD_UP DPAD_DOWN DPAD_LEFT \
    DPAD_RIGHT DPAD_CENTER VOLUME_UP VOLUME_DOWN POWER CAMERA CLEAR A B C D E F G H I J K L M N O P Q R S T U V W \
    X Y Z COMMA PERIOD ALT_LEFT ALT_RIGHT SHIFT_LEFT SHIFT_RIGHT TAB SPACE SYM EXPLORER ENVELOPE ENTER DEL GRAVE \
    MINUS EQUALS LEFT_BRACKET RIGHT_BRACKET BACKSLASH SEMICOLON APOSTROPHE SLASH AT NUM HEADSETHOOK FOCUS PLUS \
    MENU NOTIFICATION SEARCH MEDIA_PLAY_PAUSE MEDIA_STOP MEDIA_NEXT MEDIA_PREVIOUS MEDIA_REWIND MEDIA_FAST_FORWARD \
    MUTE PAGE_UP PAGE_DOWN PICTSYMBOLS SWITCH_CHARSET BUTTON_A BUTTON_B BUTTON_C BUTTON_X BUTTON_Y BUTTON_Z \
    BUTTON_L1 BUTTON_R1 BUTTON_L2 BUTTON_R2 BUTTON_THUMBL BUTTON_THUMBR BUTTON_START BUTTON_SELECT BUTTON_MODE \
    ESCAPE FORWARD_DEL CTRL_LEFT CTRL_RIGHT CAPS_LOCK SCROLL_LOCK META_LEFT META_RIGHT FUNCTION SYSRQ BREAK \
    MOVE_HOME MOVE_END INSERT FORWARD MEDIA_PLAY MEDIA_PAUSE MEDIA_CLOSE MEDIA_EJECT MEDIA_RECORD F1 F2 F3 F4 F5 \
    F6 F7 F8 F9 F10 F11 F12 NUM_LOCK NUMPAD_0 NUMPAD_1 NUMPAD_2 NUMPAD_3 NUMPAD_4 NUMPAD_5 NUMPAD_6 NUMPAD_7 \
    NUMPAD_8 NUMPAD_9 NUMPAD_DIVIDE NUMPAD_MULTIPLY NUMPAD_SUBTRACT NUMPAD_ADD NUMPAD_DOT NUMPAD_COMMA \
    NUMPAD_ENTER NUMPAD_EQUALS NUMPAD_LEFT_PAREN NUMPAD_RIGHT_PAREN VOLUME_MUTE INFO CHANNEL_UP CHANNEL_DOWN \
    ZOOM_IN ZOOM_OUT TV WINDOW GUIDE DVR BOOKMARK CAPTIONS SETTINGS TV_POWER TV_INPUT STB_POWER STB_INPUT \
    AVR_POWER AVR_INPUT PROG_RED PROG_GREEN PROG_YELLOW PROG_BLUE APP_SWITCH BUTTON_1 BUTTON_2 BUTTON_3 BUTTON_4 \
    BUTTON_5 BUTTON_6 BUTTON_7 BUTTON_8 BUTTON_9 BUTTON_10 BUTTON_11 BUTTON_12 BUTTON_13 BUTTON_14 BUTTON_15 \
    BUTTON_16 LANGUAGE_SWITCH MANNER_MODE 3D_MODE CONTACTS CALENDAR MUSIC CALCULATOR ZENKAKU_HANKAKU EISU MUHENKAN \
    HENKAN KATAKANA_HIRAGANA YEN RO KANA ASSIST BRIGHTNESS_DOWN BRIGHTNESS_UP MEDIA_AUDIO_TRACK SLEEP WAKEUP \
    PAIRING";
/// Keys that came later.
const LATER: [(&str, u32); 9] = [
    ("SOFT_SLEEP", 276),
    ("CUT", 277),
    ("COPY", 278),
    ("PASTE", 279),
    ("SYSTEM_NAVIGATION_UP", 280),
    ("SYSTEM_NAVIGATION_DOWN", 281),
    ("ALL_APPS", 284),
    ("REFRESH", 285),
    ("THUMBS_UP", 286),
];
/// The highest number of API level 34.
const LAST: u32 = 316;

/// Returns the number of a key given as number or name, 0 for what is no key, as `KeyEvent.keyCodeFromString` does.
pub fn number(key: &str) -> u32 {
    if let Ok(number) = key.parse::<u32>() {
        return if number <= LAST { number } else { 0 };
    }
    let name = key.strip_prefix("KEYCODE_").unwrap_or(key);
    let place = NAMES.split_whitespace().position(|known| known == name).and_then(|place| u32::try_from(place).ok());
    place.or_else(|| LATER.iter().find(|(known, _)| *known == name).map(|(_, number)| *number)).unwrap_or(0)
}

/// Whether a key changes what other keys mean: shift, ctrl, alt, meta.
pub fn is_modifier(number: u32) -> bool {
    matches!(number, 57..=60 | 113 | 114 | 117 | 118)
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn names_have_their_numbers() {
        let cases =
            [("KEYCODE_HOME", 3), ("BACK", 4), ("ENTER", 66), ("KEYCODE_APP_SWITCH", 187), ("WAKEUP", 224), ("67", 67)];
        for (name, wanted) in cases {
            assert_eq!(number(name), wanted, "{name}");
        }
        assert_eq!([number("NOPE"), number("9999"), number("-1")], [0; 3]);
    }
}
