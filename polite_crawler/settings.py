"""The settings of our own project: `scrapy crawl site` in the checkout, and anywhere by
`SCRAPY_SETTINGS_MODULE=polite_crawler.settings`."""

BOT_NAME = "polite-crawler"
ADDONS = {"polite_crawler.Addon": 300}
SPIDER_MODULES = [
    "polite_crawler.spiders",
    "polite_crawler.recipes.product_spider",
    "polite_crawler.recipes.venue_spider",
]
LOG_LEVEL = "WARNING"
POLITE_OUTPUT = "text"
