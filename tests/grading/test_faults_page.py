"""The manual's page of faults is as the tables have them."""

from faults_page import PAGE, page


def test_the_page_of_faults_is_in_step():
    assert PAGE.read_text(encoding='utf-8') == page()
