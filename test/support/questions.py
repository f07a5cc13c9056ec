"""Questions in three languages and the notes that answer them: (question, part of the note)."""

ENGLISH = [
    (
        'How far does the song of a blue whale carry?',
        'eight hundred kilometres',
        "The blue whale's song carries over eight hundred kilometres of open sea.",
    ),
    (
        'When is Tomasz coming to water the plants?',
        'every Thursday',
        'Tomasz waters the plants on the balcony every Thursday after work.',
    ),
    (
        'what was wrong with the left servo',
        'loose screw',
        'The left servo trembled because of a loose screw in its bracket.',
    ),
    (
        'Which tea calms people in the evening?',
        'camomile',
        'In the evening they drink camomile tea, it calms them.',
    ),
    (
        'who built the old observatory on the hill',
        'astronomer named Weiss',
        'The observatory on the hill was built by an astronomer named Weiss in 1889.',
    ),
    (
        'password of the greenhouse door',
        'four clicks',
        'The greenhouse door opens after four clicks of the brass handle.',
    ),
    (
        'why do leaves turn red in autumn',
        'anthocyanin',
        'Leaves turn red in autumn since anthocyanin is made while the green fades.',
    ),
    (
        'Where did we see the meteor shower?',
        'from the roof',
        'We watched the meteor shower from the roof, forty-one of them.',
    ),
    ('favourite composer of Ingrid', 'Sibelius', 'Ingrid likes Sibelius most of all composers.'),
    (
        'how do I recharge faster',
        'grey adapter',
        'Charging is faster with the grey adapter than with the white one.',
    ),
    (
        'what does the neighbour call his dog',
        'Pepper',
        "The neighbour's dog is called Pepper and barks at bicycles.",
    ),
    (
        'bread recipe rising time',
        'fourteen hours',
        'The bread dough rises for fourteen hours in the cold; recipe of the baker downstairs.',
    ),
]
CHINESE = [
    ('蓝鲸的歌声能传多远？', '八百公里', '蓝鲸唱的歌在海里能传八百公里。'),
    ('奶奶什么时候来浇花', '每个星期四', '奶奶每个星期四下午来给阳台的花浇水。'),
    ('左边的舵机为什么抖', '螺丝松了', '左边舵机抖动是因为支架上的螺丝松了。'),
    ('小安喜欢喝什么茶？', '茉莉花茶', '小安最喜欢喝茉莉花茶，不放糖。'),
    ('山上的天文台是谁建的', '姓魏的', '山上那座天文台是一位姓魏的先生在一八八九年建的。'),
    ('树叶秋天怎么会变红', '花青素', '秋天树叶变红，是因为叶子里生出了花青素。'),
    ('我们在哪里看的流星雨', '屋顶上', '那晚我们在屋顶上看流星雨，数到四十一颗。'),
    ('邻居家的狗叫什么名字', '胡椒', '邻居的狗名叫胡椒，见了自行车就叫。'),
    ('充电用哪个插头快', '灰色', '灰色的插头充电比白色的快。'),
    ('面团要发酵多久', '十四个小时', '楼下面包师说面团冷藏发酵十四个小时。'),
    ('图书馆几点关门', '晚上九点', '图书馆平日晚上九点关门，周末六点。'),
]
JAPANESE = [
    (
        'シロナガスクジラの歌はどこまで届く？',
        '八百キロ',
        'シロナガスクジラの歌は海の中で八百キロ先まで届く。',
    ),
    ('植物に水をやるのは誰ですか', '木曜日', 'ベランダの植物には毎週木曜日にケンジが水をやる。'),
    (
        '左のサーボが震えた原因',
        'ネジがゆるんで',
        '左のサーボが震えたのは金具のネジがゆるんでいたから。',
    ),
    ('アンナはどのお茶が好き？', '緑茶', 'アンナはコーヒーより緑茶が好きだ。'),
    (
        '丘の天文台を建てた人は',
        'ヴァイス',
        '丘の上の天文台は1889年にヴァイスという天文学者が建てた。',
    ),
    (
        '秋に葉が赤くなる理由',
        'アントシアニン',
        '秋に葉が赤くなるのはアントシアニンが作られるからだ。',
    ),
    ('流星群をどこで見たっけ', '屋根の上', '流星群は屋根の上から見た。四十一個数えた。'),
    ('隣の犬の名前は？', 'コショウ', '隣の家の犬の名前はコショウで、自転車に吠える。'),
    ('早く充電できるのはどれ', '灰色', '充電は灰色のアダプターのほうが早い。'),
    ('パン生地の発酵時間', '十四時間', 'パン生地は冷蔵庫で十四時間発酵させる。'),
    ('ひまわりはいつ咲いた？', '七月の末', '庭のひまわりは七月の末に咲いた。'),
]
ALL = [*ENGLISH, *CHINESE, *JAPANESE]
QUESTIONS = [(question, wanted) for question, wanted, _ in ALL]
NOTES = [note for _, _, note in ALL]
