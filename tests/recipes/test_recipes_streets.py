"""Street addresses that are one, and that are not: a number and a word of the street."""

import pytest

from polite_crawler.recipes.places import address_lines
from polite_crawler.recipes.streets import same_street


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("12 Mill Ln", "12 Mill Lane"),
        ("221B Baker Street", "221b Baker St"),
        ("10-12 High Street", "10–12 High St"),
        ("12 West Street", "12 West St"),
        ("12 The Avenue", "12 The Avenue, Leeds"),
        ("12 Saint James Street", "12 St James St"),
        ("Unit 5, 12 Mill Lane", "12 Mill Lane"),
        ("12 Mill Lane\nSpringfield", "12 Mill Ln, Springfield"),
        ("99 High St", "Find us at 99 High Street, London, open 9-5"),
        ("1600 Pennsylvania Avenue NW", "1600 Pennsylvania Ave"),
        ("1234 Broadway, New York, NY 10001", "1234 Broadway, NY"),
        ("12345 Main Street, Reno", "12345 Main St"),
        ("Hauptstr. 12a", "Hauptstraße 12a"),
        ("10115 Berlin, Hauptstr. 12", "Hauptstraße 12, Berlin"),
        ("1010 Wien, Stephansplatz 3", "Stephansplatz 3, 1010 Wien"),
        ("C/ Mayor, 12, Madrid", "Calle Mayor 12"),
        ("12, rue de l'Église", "12 Rue de l’Eglise"),
        ("Av. Paulista, 1578", "Avenida Paulista 1578"),
        ("ул. Ленина, д. 12", "101000, Москва, улица Ленина, 12"),
        ("Ερμου 5", "Ερμού 5, Αθήνα"),
        ("شارع التحرير 12", "12 شارع التحرير"),
        ("渋谷区神南1-2-3", "東京都渋谷区神南１丁目２番３号"),
        ("台北市信義區市府路1號", "市府路1号"),
        ("서울특별시 종로구 종로 1", "종로 1, 종로구"),
    ],
)
def test_one_street(one: str, other: str) -> None:
    assert same_street(one, other)
    assert same_street(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("12 Mill Lane", "12A Mill Lane"),
        ("9 High Street", "99 High Street"),
        ("Mill Lane", "12 Mill Lane"),
        ("", "12 Mill Lane"),
        ("Hauptstraße 12", "Hauptstraße 12a"),
        ("Unit 5, 12 Mill Lane", "5 Mill Lane"),
        # a town, a postal code and the small words are not the street
        ("12 Main Street, Springfield", "12 High Street, Springfield"),
        ("12 High St, Boston, MA 02110", "12 Main St, Boston, MA 02110"),
        ("Hauptstr. 12, 10115 Berlin", "Nebenstraße 5, 10115 Berlin"),
        ("1010 Wien, Stephansplatz 3", "Graben 3, 1010 Wien"),
        ("101000, Москва, улица Ленина, 12", "101000, Москва, улица Пушкина, 12"),
        ("12 rue de la Paix", "12 rue de la Poste"),
        ("12 North Main St", "12 North High St"),
        ("12 North Street", "12 South Street"),
        ("12 Saint James Street", "12 Saint Paul Street"),
        ("東京都渋谷区神南1-2-3", "東京都新宿区西新宿1-2-3"),
        ("渋谷区神南1-2-3", "渋谷区神南1-2-4"),
    ],
)
def test_two_streets(one: str, other: str) -> None:
    assert not same_street(one, other)
    assert not same_street(other, one)


@pytest.mark.parametrize(
    ("line", "holds_one"),
    [
        ("12 Mill Lane", True),
        ("Visit us at 221b Baker Street, London", True),
        ("Hauptstr. 12a, Berlin", True),
        ("Via Roma, 5, Milano", True),
        ("Corso Italia 5", True),
        ("C/ Mayor, 12", True),
        ("Av. Paulista, 1578", True),
        ("ul. Długa 5", True),
        ("ул. Ленина, д. 12", True),
        ("Open Mon-Fri 9am-5pm", False),
        ("5 stars from 12 guests", False),
    ],
)
def test_a_line_that_holds_an_address(line: str, holds_one: bool) -> None:
    assert bool(address_lines(f"Welcome\n{line}\nBye")) is holds_one
