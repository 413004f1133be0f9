"""Writes the manual's page of all known faults: `make faults`."""

import faults_page


def main():
    """Write the page."""
    faults_page.PAGE.write_text(faults_page.page(), encoding='utf-8')
