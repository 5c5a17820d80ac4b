//! Ten small businesses, all invented. Their telephone numbers are from the range reserved for
//! fiction.

/// The texts of one business. Its home page has at least 150 words.
#[derive(Debug)]
pub(crate) struct BusinessText {
    pub(crate) title: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) paragraphs: &'static [&'static str],
    /// A type of schema.org.
    pub(crate) schema_org_type: &'static str,
    pub(crate) street: &'static str,
    pub(crate) town: &'static str,
    pub(crate) postcode: &'static str,
    /// As shown on the page, and in international format.
    pub(crate) phone: (&'static str, &'static str),
    pub(crate) hours: &'static str,
}

pub(crate) const BAKERY: BusinessText = BusinessText {
    title: "Harbour Lane Bakery",
    summary: "Bread, buns and seed loaves, baked before sunrise.",
    paragraphs: &[
        "We have baked in the same brick oven on Harbour Lane since the spring of 1987. The first \
         batch leaves the oven at half past five, and the last sour loaves are usually gone by \
         noon. Flour comes from a water mill eleven miles up the valley, butter from the dairy at \
         Stanner, and salt from the pans across the bay.",
        "A large country loaf costs £4.20, a small one £2.60. Cardamom buns are £1.80 each, or six \
         for £9.50. On Fridays we make plaited bread with poppy seed, and on the first Saturday of \
         the month a dark rye that needs three days to rise. If you need more than ten loaves, \
         tell us two days ahead and we will set them aside under your name.",
        "The shop has two tables by the window and a bench outside that catches the morning sun. \
         We serve filter coffee and one kind of soup. Dogs are welcome on the bench. We do not \
         take cards below two pounds, and we give yesterday's bread to the night shelter.",
    ],
    schema_org_type: "Bakery",
    street: "14 Harbour Lane",
    town: "Pennick",
    postcode: "PE7 4QX",
    phone: ("01632 960101", "+44 1632 960101"),
    hours: "Tu-Sa 06:30-14:00",
};

pub(crate) const FERRY: BusinessText = BusinessText {
    title: "Sound Ferries",
    summary: "Three crossings a day between Marrow Quay and the islands.",
    paragraphs: &[
        "The Kittiwake leaves Marrow Quay at 07:10, 12:40 and 17:55 from April until the end of \
         October. In winter there is one crossing a day, at 09:30, and none when the wind is above \
         force seven. The passage to Inner Holm takes thirty-five minutes, to Outer Holm an hour \
         and ten, and the boat waits twenty minutes at each landing.",
        "A single fare is £8.40 for adults and £4.20 for anyone under sixteen; islanders with a \
         yellow card travel for £2.00. Bicycles go free when there is room on the after deck. Cars \
         cannot be carried, but the post van takes parcels, furniture in pieces and, once a year, \
         the school piano. Please be on the quay ten minutes before the boat.",
        "Tickets are sold on board and at the kiosk beside the harbour office. Groups of more than \
         twelve should write to us a week before, because the lifeboat rules allow forty-eight \
         passengers and not one more. Left umbrellas are kept in the wheelhouse for a month.",
    ],
    schema_org_type: "TravelAgency",
    street: "1 Marrow Quay",
    town: "Marrow",
    postcode: "MR2 9AB",
    phone: ("01632 960122", "+44 1632 960122"),
    hours: "Mo-Su 06:45-18:30",
};

pub(crate) const CLINIC: BusinessText = BusinessText {
    title: "Elm Row Clinic",
    summary: "General practice for the north side of town.",
    paragraphs: &[
        "Four doctors and two nurses look after about six thousand people on the north side of \
         the river. The door opens at eight. Between eight and half past ten you may come without \
         an appointment and wait your turn; after that we see people by the clock. If you cannot \
         leave your house, call before ten and one of us will come in the afternoon.",
        "Blood is taken on Monday, Wednesday and Thursday mornings, and the laboratory sends its \
         results within two working days. Vaccinations for travellers need a first visit at least \
         six weeks before you leave. Repeat prescriptions are ready the next working day after \
         four o'clock, at the small window to the left of the stairs.",
        "There are nine steps at the front entrance and none at the side entrance in Mill Passage, \
         where the bell is at sitting height. Interpreters can be booked for nine languages. \
         Outside our hours the night service answers our telephone number. In an emergency call \
         the ambulance first and us afterwards.",
    ],
    schema_org_type: "MedicalClinic",
    street: "3 Elm Row",
    town: "Aldersley",
    postcode: "AL1 7TT",
    phone: ("01632 960133", "+44 1632 960133"),
    hours: "Mo-Fr 08:00-18:00",
};

pub(crate) const MUSEUM: BusinessText = BusinessText {
    title: "Museum of Small Machines",
    summary: "Clocks, locks, looms and calculating engines, most of them running.",
    paragraphs: &[
        "The museum fills three floors of a former button factory. On the ground floor are the \
         locks: four hundred of them, from a wooden Egyptian bolt to the combination door of a \
         bank that no longer exists. Visitors may try to open twenty of them, and a board shows \
         who was fastest this week. The first floor belongs to clocks and is never quiet.",
        "Under the roof stand the looms and the calculating engines. Every day at eleven and at \
         three we weave one metre of ribbon from punched cards, and the piece is cut up and given \
         away. The difference engine in the corner is a half-size copy, finished by volunteers \
         after nineteen years of Tuesday evenings; it works out tables of squares and jams on \
         humid days.",
        "Admission is £7.00, children under ten come in free, and the ticket is good for a second \
         visit within thirty days. The lift reaches every floor. Pushchairs can be left with the \
         guard. We are closed on Mondays, and in January for oiling.",
    ],
    schema_org_type: "Museum",
    street: "22 Button Street",
    town: "Carrow",
    postcode: "CW4 1LM",
    phone: ("01632 960144", "+44 1632 960144"),
    hours: "Tu-Su 10:00-17:00",
};

pub(crate) const BOOKSHOP: BusinessText = BusinessText {
    title: "The Second Shelf",
    summary: "Used books, maps and sheet music in seven rooms.",
    paragraphs: &[
        "Seven rooms, about forty thousand books, and no computer that knows where any of them \
         are: ask the person at the desk, who usually does. Novels stand by surname in the long \
         corridor, travel is in the old kitchen, and whatever has lost its cover waits in the \
         yard under the awning, at one pound each, paid through the slot in the wall.",
        "We buy books on Thursdays between ten and four. Bring no more than two boxes, and please \
         no encyclopaedias. For a whole library we come to the house, look for an hour and make an \
         offer that stands for a week. Maps are sold by weight, unless they are older than 1850, \
         in which case we will want to talk about them first.",
        "Parcels leave on Tuesdays and Fridays. Within the country a book costs £3.20 to send, \
         however thick it is. If something that we sent is not what we said, send it back within a \
         month and we return the price and the postage. There is tea for anyone who stays longer \
         than an hour.",
    ],
    schema_org_type: "BookStore",
    street: "9 Tanner's Steps",
    town: "Oldmere",
    postcode: "OM3 5DD",
    phone: ("01632 960155", "+44 1632 960155"),
    hours: "We-Su 10:00-18:00",
};

pub(crate) const GARDEN: BusinessText = BusinessText {
    title: "Wend Valley Garden Nursery",
    summary: "Hardy plants grown from seed in a cold valley.",
    paragraphs: &[
        "What survives here will survive in your garden too. Our beds lie at three hundred metres, \
         the frost stays until the middle of May, and nothing is grown under heated glass. We sow \
         about six hundred kinds every year and sell what is left in spring: asters, cranesbills, \
         sea holly, a long list of grasses, and apple trees on three rootstocks.",
        "A plant in a nine-centimetre pot costs £3.90, in a two-litre pot £8.50. Trees are lifted \
         between November and March and sold with bare roots, from £24.00. The catalogue is printed \
         in January; it has no pictures, but every plant has a line that says where it sulks. \
         Advice is free, and we would rather sell you nothing than the wrong shrub.",
        "The nursery is at the end of a single-track lane. Drive slowly past the farm, close the \
         second gate behind you, and park below the walnut. On the last Sunday in June we open the \
         stock beds, dig up anything that visitors point at, and serve strawberries until they run \
         out.",
    ],
    schema_org_type: "GardenStore",
    street: "Upper Wend Farm",
    town: "Wendle",
    postcode: "WD9 2RS",
    phone: ("01632 960166", "+44 1632 960166"),
    hours: "Th-Sa 09:00-17:00",
};

pub(crate) const ORCHESTRA: BusinessText = BusinessText {
    title: "Northgate Chamber Orchestra",
    summary: "Thirty-two players, eight programmes a season.",
    paragraphs: &[
        "The orchestra was founded by the night staff of the telephone exchange, who wanted \
         something to do between calls. Today it has thirty-two players, most of them with other \
         jobs, and plays eight programmes between September and May. Concerts are on Friday \
         evenings in the old corn hall and are repeated on Sunday afternoons in a village that \
         changes every month.",
        "This season opens with a symphony for strings that nobody has played since 1911, found in \
         a box of railway papers. In November there is an evening of marches for people who do not \
         like marches, and in March our second horn steps forward with a concerto written for her. \
         Rehearsals on Wednesday nights are open; sit at the back and bring a cushion.",
        "Seats cost £16.00, or £6.00 for students and for anyone who has never been to a concert \
         before. We do not ask for proof. The doors open at seven, the music begins at half past, \
         and it is always over in time for the last tram. Programmes are printed in large type.",
    ],
    schema_org_type: "MusicGroup",
    street: "Corn Hall, Northgate",
    town: "Brack",
    postcode: "BK1 1NG",
    phone: ("01632 960177", "+44 1632 960177"),
    hours: "Mo-Fr 10:00-16:00",
};

pub(crate) const CYCLES: BusinessText = BusinessText {
    title: "Cobble Cycles",
    summary: "Repairs while you wait, and old frames made new.",
    paragraphs: &[
        "A flat tyre takes us twelve minutes, a broken spoke twenty-five, and a gear that only \
         works on Tuesdays a little longer. Bring your bicycle before eleven and it is normally \
         ready by five. We write down every fault that we see, mend the ones you agree to, and \
         hand back the worn parts in a paper bag so that you can see what you paid for.",
        "The yearly service costs £65.00 and covers brakes, bearings, gears and a proper wash; tyres \
         and chains are extra and we tell you before we fit them. Children's bicycles are served \
         for half. In the back room we strip, straighten and repaint old steel frames, a job of \
         about three weeks that begins at £180.00 and ends with a colour you have chosen yourself.",
        "On the second Saturday of the month the workshop belongs to learners: six stands, six \
         people, one teacher, and coffee from a flask. Hire bicycles are in the shed by the bridge, \
         at £15.00 a day with a lock and a map of the quiet roads.",
    ],
    schema_org_type: "BikeStore",
    street: "5 Bridge Foot",
    town: "Cobblewick",
    postcode: "CB6 8EE",
    phone: ("01632 960188", "+44 1632 960188"),
    hours: "Mo-Sa 08:30-17:30",
};

pub(crate) const HOTEL: BusinessText = BusinessText {
    title: "The Signal House Hotel",
    summary: "Nine rooms beside a railway that still runs.",
    paragraphs: &[
        "Our nine rooms were offices of the valley railway until 1964. Four look over the platform, \
         where a steam train stops twice a day in summer, and five look over the kitchen garden. \
         Every room has a bath, a kettle, a shelf of paperbacks and a window that really opens. \
         There are no televisions, but the attic has a telescope and a chart of the winter sky.",
        "A double room costs £112.00 a night with breakfast, a single £78.00. From November to March \
         the third night is free. Breakfast is served from seven until ten: porridge, eggs from \
         next door, kippers when the boats go out. Dinner is one menu at half past seven; tell us \
         in the morning if you would like to eat, and what you must not.",
        "Arrive by train if you can, because the platform is twenty steps from the desk and the \
         first drink is on the house for guests who do. Cars can be left behind the goods shed. We \
         take children of every age and dogs of reasonable size. Cancel up to two days before \
         without charge.",
    ],
    schema_org_type: "Hotel",
    street: "Station Yard",
    town: "Tarn Bridge",
    postcode: "TB8 3SH",
    phone: ("01632 960199", "+44 1632 960199"),
    hours: "Mo-Su 07:00-22:00",
};

pub(crate) const SCHOOL: BusinessText = BusinessText {
    title: "Low Mill Evening School",
    summary: "Forty courses for people who work during the day.",
    paragraphs: &[
        "Low Mill teaches adults in the evening: languages, book-keeping, welding, drawing, repair \
         of almost everything, and swimming for those who never learned. A course has ten evenings \
         of two hours and begins in the third week of September, January or April. Nobody is \
         examined unless they ask to be, and nobody has ever been sent home for being slow.",
        "A course costs £95.00, material included, or £30.00 if you have no income at the moment; \
         tick the box and we believe you. Places are given in the order in which forms arrive, with \
         one exception: two chairs in every class are kept until the last day for people who have \
         just moved to the town. Forms can be had from the porter or sent to you by post.",
        "The building is the one with the water wheel. The canteen opens at half past five with \
         soup and bread, the crèche looks after children until nine, and the last bus leaves from \
         the gate at ten past nine. If snow closes the bridge, lessons move to the following week.",
    ],
    schema_org_type: "EducationalOrganization",
    street: "Low Mill, Water Lane",
    town: "Hexleigh",
    postcode: "HX5 0LM",
    phone: ("01632 960210", "+44 1632 960210"),
    hours: "Mo-Th 17:00-21:30",
};
