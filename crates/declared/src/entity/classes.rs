//! Which schema.org types are organisations, and which of those are local businesses.
//!
//! A type that is not listed counts as an organisation if it has a name and an address (see `graph`).

/// What kind of owner a node may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum EntityClass {
    Person,
    Organization,
    LocalBusiness,
}

const ORGANIZATIONS: &[&str] = &[
    "Organization",
    "Airline",
    "Consortium",
    "Cooperative",
    "Corporation",
    "EducationalOrganization",
    "CollegeOrUniversity",
    "ElementarySchool",
    "HighSchool",
    "MiddleSchool",
    "Preschool",
    "School",
    "FundingScheme",
    "GovernmentOrganization",
    "LibrarySystem",
    "MedicalOrganization",
    "NGO",
    "NewsMediaOrganization",
    "OnlineBusiness",
    "OnlineStore",
    "OnlineMarketplace",
    "PerformingGroup",
    "DanceGroup",
    "MusicGroup",
    "TheaterGroup",
    "PoliticalParty",
    "Project",
    "FundingAgency",
    "ResearchProject",
    "ResearchOrganization",
    "SearchRescueOrganization",
    "SportsOrganization",
    "SportsTeam",
    "WorkersUnion",
    "DiagnosticLab",
    "VeterinaryCare",
    "Brand",
];

/// Kinds of local business, and places that are run like one.
const BUSINESSES: &[&str] = &[
    "LocalBusiness",
    "AnimalShelter",
    "ArchiveOrganization",
    "AutomotiveBusiness",
    "AutoBodyShop",
    "AutoDealer",
    "AutoPartsStore",
    "AutoRental",
    "AutoRepair",
    "AutoWash",
    "GasStation",
    "MotorcycleDealer",
    "MotorcycleRepair",
    "ChildCare",
    "Dentist",
    "DryCleaningOrLaundry",
    "EmergencyService",
    "FireStation",
    "Hospital",
    "PoliceStation",
    "EmploymentAgency",
    "EntertainmentBusiness",
    "AdultEntertainment",
    "AmusementPark",
    "ArtGallery",
    "Casino",
    "ComedyClub",
    "MovieTheater",
    "NightClub",
    "FinancialService",
    "AccountingService",
    "AutomatedTeller",
    "BankOrCreditUnion",
    "InsuranceAgency",
    "FoodEstablishment",
    "Bakery",
    "BarOrPub",
    "Brewery",
    "CafeOrCoffeeShop",
    "Distillery",
    "FastFoodRestaurant",
    "IceCreamShop",
    "Restaurant",
    "Winery",
    "GovernmentOffice",
    "PostOffice",
    "HealthAndBeautyBusiness",
    "BeautySalon",
    "DaySpa",
    "HairSalon",
    "HealthClub",
    "NailSalon",
    "TattooParlor",
    "HomeAndConstructionBusiness",
    "Electrician",
    "GeneralContractor",
    "HVACBusiness",
    "HousePainter",
    "Locksmith",
    "MovingCompany",
    "Plumber",
    "RoofingContractor",
    "InternetCafe",
    "LegalService",
    "Attorney",
    "Notary",
    "Library",
    "LodgingBusiness",
    "BedAndBreakfast",
    "Campground",
    "Hostel",
    "Hotel",
    "Motel",
    "Resort",
    "SkiResort",
    "VacationRental",
    "MedicalBusiness",
    "CommunityHealth",
    "Dermatology",
    "DietNutrition",
    "Emergency",
    "Geriatric",
    "Gynecologic",
    "MedicalClinic",
    "Midwifery",
    "Nursing",
    "Obstetric",
    "Oncologic",
    "Optician",
    "Optometric",
    "Otolaryngologic",
    "Pediatric",
    "Pharmacy",
    "Physician",
    "IndividualPhysician",
    "PhysiciansOffice",
    "Physiotherapy",
    "PlasticSurgery",
    "Podiatric",
    "PrimaryCare",
    "Psychiatric",
    "PublicHealth",
    "ProfessionalService",
    "RadioStation",
    "RealEstateAgent",
    "RecyclingCenter",
    "SelfStorage",
    "ShoppingCenter",
    "SportsActivityLocation",
    "BowlingAlley",
    "ExerciseGym",
    "GolfCourse",
    "PublicSwimmingPool",
    "SportsClub",
    "StadiumOrArena",
    "TennisComplex",
    "Store",
    "BikeStore",
    "BookStore",
    "ClothingStore",
    "ComputerStore",
    "ConvenienceStore",
    "DepartmentStore",
    "ElectronicsStore",
    "Florist",
    "FurnitureStore",
    "GardenStore",
    "GroceryStore",
    "HardwareStore",
    "HobbyShop",
    "HomeGoodsStore",
    "JewelryStore",
    "LiquorStore",
    "MensClothingStore",
    "MobilePhoneStore",
    "MovieRentalStore",
    "MusicStore",
    "OfficeEquipmentStore",
    "OutletStore",
    "PawnShop",
    "PetStore",
    "ShoeStore",
    "SportingGoodsStore",
    "TireShop",
    "ToyStore",
    "WholesaleStore",
    "TelevisionStation",
    "TouristInformationCenter",
    "TravelAgency",
    // Places that are their own organisation.
    "Museum",
    "Zoo",
    "Aquarium",
    "PlaceOfWorship",
    "Church",
    "CatholicChurch",
    "BuddhistTemple",
    "HinduTemple",
    "Mosque",
    "Synagogue",
    "PerformingArtsTheater",
    "MusicVenue",
    "EventVenue",
    "CivicStructure",
    "CityHall",
    "Courthouse",
    "Embassy",
    "Park",
    "TouristAttraction",
    "Airport",
    "TrainStation",
    "Cemetery",
    "Crematorium",
    "FuneralHome",
];

/// Types that may have a name and an address but are not the owner of a site.
const NON_OWNER_TYPES: &[&str] = &[
    "WebSite",
    "WebPage",
    "AboutPage",
    "ContactPage",
    "CollectionPage",
    "ItemPage",
    "FAQPage",
    "Article",
    "NewsArticle",
    "BlogPosting",
    "Blog",
    "Product",
    "Offer",
    "AggregateOffer",
    "Event",
    "Review",
    "Rating",
    "AggregateRating",
    "BreadcrumbList",
    "ItemList",
    "ListItem",
    "PostalAddress",
    "ContactPoint",
    "GeoCoordinates",
    "OpeningHoursSpecification",
    "ImageObject",
    "VideoObject",
    "SearchAction",
    "JobPosting",
    "Recipe",
    "Course",
    "Service",
    "Place",
    "Country",
    "City",
    "AdministrativeArea",
    "Question",
    "Answer",
    "CreativeWork",
    "Book",
    "SoftwareApplication",
    "SiteNavigationElement",
    "WPHeader",
    "WPFooter",
    "Apartment",
    "House",
    "Residence",
    "Accommodation",
    "RealEstateListing",
    "EntryPoint",
    "PropertyValue",
];

/// The class of a type by its plain name, such as `Bakery`.
pub(super) fn class_of_type(name: &str) -> Option<EntityClass> {
    if name == "Person" || name == "Patient" {
        Some(EntityClass::Person)
    } else if BUSINESSES.contains(&name) {
        Some(EntityClass::LocalBusiness)
    } else if ORGANIZATIONS.contains(&name) && name != "Brand" {
        Some(EntityClass::Organization)
    } else {
        None
    }
}

/// Whether the name is that of a known type that cannot be the owner.
pub(super) fn is_known_non_owner(name: &str) -> bool {
    const ENDINGS: [&str; 4] = ["Event", "Action", "Listing", "Series"];
    name == "Brand"
        || NON_OWNER_TYPES.contains(&name)
        || is_page_type(name)
        || is_article_type(name)
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Whether the type describes the site or one of its pages.
pub(super) fn is_page_type(name: &str) -> bool {
    matches!(name, "WebSite" | "Blog" | "WebApplication") || name.ends_with("Page")
}

/// Whether the type is a text that a site publishes.
pub(super) fn is_article_type(name: &str) -> bool {
    name.ends_with("Article")
        || name.ends_with("Posting") && name != "JobPosting"
        || matches!(name, "Report" | "CreativeWork" | "Recipe" | "VideoObject" | "PodcastEpisode")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_their_class() {
        assert_eq!(class_of_type("Bakery"), Some(EntityClass::LocalBusiness));
        assert_eq!(class_of_type("Corporation"), Some(EntityClass::Organization));
        assert_eq!(class_of_type("Person"), Some(EntityClass::Person));
        assert_eq!(class_of_type("Product"), None);
        assert!(
            is_known_non_owner("Product")
                && is_known_non_owner("Brand")
                && !is_known_non_owner("TinMender")
        );
        for name in BUSINESSES {
            assert!(!ORGANIZATIONS.contains(name) && !NON_OWNER_TYPES.contains(name), "{name}");
        }
    }
}
